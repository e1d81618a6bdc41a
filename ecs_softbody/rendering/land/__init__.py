"""Land: what lies behind, below and around the bodies: sky and hills, weather, ground, grass and
water.
"""
