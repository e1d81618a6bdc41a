"""Kernels: the numeric work of a step, as compiled functions of plain arrays, one file for each
force, constraint or stage. Processors decide when a kernel runs, and on which arrays.

All components of one class in a world are packed: each column is one array for all of them. A *row*
is an index into such an array, e.g. of a particle or a spring; a *slot* is the number of a
component, and so of a body. A component has the rows [first[slot], last[slot]). Kernels run over
the awake bodies only: `active` names their slots, or spans [first, last) of their rows. A frame of
a game is computed in several equal substeps; h or `dt` is the length of one [s]. w is an inverse
mass [1/kg], 0 for a particle that no force moves.
"""
