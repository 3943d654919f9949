// pow(x, 3) and pow(x, 4) of SOLAR, which spends most of its time in them, with the same bits in a fraction of the time: a product in twice
// the precision, rounded. glibc's pow errs by less than 0.52 units in the last place, so it answers this rounding wherever the exact power
// lies within 0.48 of it; elsewhere we ask pow itself. Included before every source file.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#if defined(__FMA__)
namespace same_bits {

// high + low, where low is small, or pow(x, y) if that does not round clearly.
inline double rounded(double high, double low, double x, double y) {
  const double sum = high + low;
  const double rest = (high - sum) + low;
  return sum > 1e-200 && sum + 1.04 * rest == sum ? sum : pow(x, y);
}

inline double power(double x, double y) {
  const double square = x * x;
  const double below = __builtin_fma(x, x, -square);
  if (y == 4.0) {
    const double high = square * square;
    return rounded(high, __builtin_fma(square, square, -high) + 2 * square * below, x, y);
  }
  if (y == 3.0) {
    const double high = square * x;
    return rounded(high, __builtin_fma(square, x, -high) + below * x, x, y);
  }
  return pow(x, y);
}

}  // namespace same_bits
#define pow(x, y) same_bits::power(x, y)
#endif
