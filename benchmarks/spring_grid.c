/* The least that a substep of S1 costs: springs with stiffness, damping and rest length of their own, then particles.

   Two layouts of the same work. `scatter` walks a list of springs and reads and writes the particles at their ends.
   `runs` takes springs in groups whose both ends step by one particle each, so that all reads and writes are in a row
   and several springs are computed at once.

   f = (k (|d| - L) + c (v . e)) e,  d = x_j - x_i,  e = d / |d|,  v = v_j - v_i
   u <- u + h (f / m + g),  x <- x + h u  (symplectic Euler)
*/
#include <math.h>
#include <stdint.h>

static void move(int64_t count, double *restrict x, double *restrict y, double *restrict u, double *restrict v,
                 double *restrict fx, double *restrict fy, const double *restrict w, double gravity, double h)
{
    for (int64_t i = 0; i < count; i++) {
        const double free = w[i] > 0.0 ? 1.0 : 0.0;
        u[i] += h * w[i] * fx[i];
        v[i] += h * (w[i] * fy[i] + free * gravity);
        x[i] += h * free * u[i];
        y[i] += h * free * v[i];
        fx[i] = fy[i] = 0.0;
    }
}

void scatter(int64_t substeps, int64_t springs, int64_t particles, const uint32_t *restrict first,
             const uint32_t *restrict second, const double *restrict k, const double *restrict c,
             const double *restrict rest, double *x, double *y, double *u, double *v, double *fx, double *fy,
             const double *w, double gravity, double h)
{
    for (int64_t step = 0; step < substeps; step++) {
        for (int64_t s = 0; s < springs; s++) {
            const uint32_t i = first[s], j = second[s];
            const double dx = x[j] - x[i], dy = y[j] - y[i];
            const double length = sqrt(dx * dx + dy * dy), inverse = 1.0 / length;
            const double speed = ((u[j] - u[i]) * dx + (v[j] - v[i]) * dy) * inverse;
            const double pull = (k[s] * (length - rest[s]) + c[s] * speed) * inverse;
            fx[i] += pull * dx;
            fy[i] += pull * dy;
            fx[j] -= pull * dx;
            fy[j] -= pull * dy;
        }
        move(particles, x, y, u, v, fx, fy, w, gravity, h);
    }
}

/* Springs start[r] .. start[r + 1] join particles first[r] + n and second[r] + n; px, py have room for the longest run. */
void runs(int64_t substeps, int64_t run_count, int64_t particles, const int64_t *restrict start,
          const uint32_t *restrict first, const uint32_t *restrict second, const double *restrict k,
          const double *restrict c, const double *restrict rest, double *x, double *y, double *u, double *v, double *fx,
          double *fy, const double *w, double *restrict px, double *restrict py, double gravity, double h)
{
    for (int64_t step = 0; step < substeps; step++) {
        for (int64_t r = 0; r < run_count; r++) {
            const int64_t count = start[r + 1] - start[r];
            const double *restrict ks = k + start[r], *restrict cs = c + start[r], *restrict ls = rest + start[r];
            const double *xi = x + first[r], *yi = y + first[r], *ui = u + first[r], *vi = v + first[r];
            const double *xj = x + second[r], *yj = y + second[r], *uj = u + second[r], *vj = v + second[r];
            for (int64_t n = 0; n < count; n++) {
                const double dx = xj[n] - xi[n], dy = yj[n] - yi[n];
                const double length = sqrt(dx * dx + dy * dy), inverse = 1.0 / length;
                const double speed = ((uj[n] - ui[n]) * dx + (vj[n] - vi[n]) * dy) * inverse;
                const double pull = (ks[n] * (length - ls[n]) + cs[n] * speed) * inverse;
                px[n] = pull * dx;
                py[n] = pull * dy;
            }
            /* The two ends may overlap, so one after the other. */
            double *fxi = fx + first[r], *fyi = fy + first[r], *fxj = fx + second[r], *fyj = fy + second[r];
            for (int64_t n = 0; n < count; n++) {
                fxi[n] += px[n];
                fyi[n] += py[n];
            }
            for (int64_t n = 0; n < count; n++) {
                fxj[n] -= px[n];
                fyj[n] -= py[n];
            }
        }
        move(particles, x, y, u, v, fx, fy, w, gravity, h);
    }
}
