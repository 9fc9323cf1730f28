// Vectors and matrices of float64. The fourth column of a matrix is its translation.
#ifndef LMB_MATRIX_H
#define LMB_MATRIX_H

#include <limber/math.h>

#include <math.h>

typedef struct matrix {
    double m[3][4];
} matrix;

static inline double lmb_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double lmb_length(const double v[3]) {
    return sqrt(lmb_dot(v, v));
}

static inline void lmb_cross(const double a[3], const double b[3], double product[3]) {
    for (int i = 0; i < 3; i++) {
        product[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static inline matrix lmb_matrix_from(const lmb_affine *given) {
    matrix result;
    for (int i = 0; i < 12; i++) {
        result.m[i / 4][i % 4] = (double)given->m[i / 4][i % 4];
    }
    return result;
}

// Multiplies a vector by the matrix without its translation.
static inline void lmb_matrix_turn(const matrix *a, const float v[3], double product[3]) {
    const double given[3] = {(double)v[0], (double)v[1], (double)v[2]};
    for (int row = 0; row < 3; row++) {
        product[row] = lmb_dot(a->m[row], given);
    }
}

// Computes the cofactors of the matrix without its translation: its transposed inverse, times the determinant, which is
// returned. They exist for every matrix.
static inline double lmb_matrix_cofactors(const matrix *a, matrix *cofactors) {
    *cofactors = (matrix){0};
    for (int row = 0; row < 3; row++) {
        lmb_cross(a->m[(row + 1) % 3], a->m[(row + 2) % 3], cofactors->m[row]);
    }
    return lmb_dot(a->m[0], cofactors->m[0]);
}

static inline matrix lmb_matrix_multiply(const matrix *a, const matrix *b) {
    matrix result;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            result.m[row][column] = a->m[row][0] * b->m[0][column] + a->m[row][1] * b->m[1][column] +
                                    a->m[row][2] * b->m[2][column] + (column == 3 ? a->m[row][3] : 0.0);
        }
    }
    return result;
}

// Returns false if there is no inverse.
static inline bool lmb_matrix_invert(const matrix *a, matrix *inverse) {
    matrix cofactors;
    const double determinant = lmb_matrix_cofactors(a, &cofactors);
    bool exists = determinant != 0.0;
    for (int i = 0; i < 9; i++) {
        inverse->m[i % 3][i / 3] = cofactors.m[i / 3][i % 3] / determinant;
        exists = exists && isfinite(inverse->m[i % 3][i / 3]);
    }
    const double position[3] = {-a->m[0][3], -a->m[1][3], -a->m[2][3]};
    for (int row = 0; row < 3; row++) {
        inverse->m[row][3] = lmb_dot(inverse->m[row], position);
    }
    return exists;
}

static inline lmb_affine lmb_affine_from_matrix(const matrix *given) {
    lmb_affine result;
    for (int i = 0; i < 12; i++) {
        result.m[i / 4][i % 4] = (float)given->m[i / 4][i % 4];
    }
    return result;
}

#endif
