#include "size_distribution.h"

#include "../laws/lane.h"
#include "../model/law_table.h"
#include "../model/parse.h"

#include <algorithm>
#include <cmath>

namespace granular_plus {

namespace {

constexpr double WIDEST = 1.05;    // largest ratio of the diameters in one class
constexpr int SAMPLES = 400;

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

class Numbers {
 public:
  Numbers(const std::vector<std::string> &words, std::size_t &next) : words(words), next(next) {}
  // bound_name: name of the bound in messages, if the user set the bound
  double above(double bound, const std::string &what, const std::string &bound_name = "")
  {
    double value = 0.0;
    if (next >= words.size() || !reads_as_number(words[next], value))
      throw InputError("diameter needs " + what + " as a number" +
                       (next < words.size() ? ", not " + words[next] : std::string()));
    if (!(value > bound) || !std::isfinite(value))
      throw InputError("diameter: " + what + " = " + words[next] + " must be > " +
                       (bound_name.empty() ? "" : bound_name + " = ") + short_number(bound));
    ++next;
    return value;
  }
  bool has_more() const
  {
    double value;
    return next < words.size() && reads_as_number(words[next], value);
  }

 private:
  const std::vector<std::string> &words;
  std::size_t &next;
};

}    // namespace

template <class Passing> void SizeDistribution::sample(double low, double high, const Passing &passing)
{
  const double first = passing(low), all = passing(high) - first;
  if (!(all > 0.0))
    throw InputError("diameter: there is no mass between LO = " + short_number(low) +
                     " and HI = " + short_number(high));
  for (int k = 0; k <= SAMPLES; ++k) {
    const double diameter = k == SAMPLES ? high : low * std::pow(high / low, static_cast<double>(k) / SAMPLES);
    points.push_back({diameter, k == SAMPLES ? 1.0 : (passing(diameter) - first) / all});
  }
}

SizeDistribution SizeDistribution::parse(const std::vector<std::string> &words, std::size_t &next)
{
  const std::vector<std::string> known{"one", "uniform", "lognormal", "rosin_rammler", "sieve"};
  const std::string law = next < words.size() ? words[next++] : "";
  Numbers numbers(words, next);
  SizeDistribution result;
  if (law == "one") {
    result.points.push_back({numbers.above(0.0, "D"), 1.0});
  } else if (law == "uniform") {
    const double low = numbers.above(0.0, "LO"), high = numbers.above(low, "HI", "LO");
    result.sample(low, high, [](double d) { return d; });
  } else if (law == "lognormal") {
    const double median = numbers.above(0.0, "MEDIAN"), deviation = numbers.above(1.0, "SIGMA");
    const double low = numbers.above(0.0, "LO"), high = numbers.above(low, "HI", "LO");
    result.sample(low, high, [=](double d) { return normal_distribution(std::log(d / median) / std::log(deviation)); });
  } else if (law == "rosin_rammler") {
    const double size = numbers.above(0.0, "SIZE"), exponent = numbers.above(0.0, "N");
    const double low = numbers.above(0.0, "LO"), high = numbers.above(low, "HI", "LO");
    result.sample(low, high, [=](double d) { return -std::expm1(-std::pow(d / size, exponent)); });
  } else if (law == "sieve") {
    double last = 0.0;
    while (numbers.has_more()) {
      const double opening = numbers.above(last, "the opening of a sieve");
      double passing = 0.0;
      if (!numbers.has_more())
        throw InputError("diameter sieve: opening " + short_number(opening) +
                         " must be followed by the fraction passing");
      reads_as_number(words[next], passing);
      const double before = result.points.empty() ? 0.0 : result.points.back().passing;
      if (!(passing >= before && passing <= 1.0))
        throw InputError("diameter sieve: fraction passing = " + words[next] + " must be >= " + short_number(before) +
                         " and <= 1");
      ++next;
      result.points.push_back({opening, passing});
      last = opening;
    }
    const auto &points = result.points;
    if (points.size() < 2 || points.front().passing != 0.0 || points.back().passing != 1.0)
      throw InputError("diameter sieve: fractions passing must grow from 0 at the first opening to 1 at the last");
  } else {
    std::string all = known[0];
    for (std::size_t k = 1; k < known.size(); ++k) all += ", " + known[k];
    throw InputError("diameter " + law + ": known are " + all + did_you_mean(law, known));
  }
  return result;
}

double SizeDistribution::finer(double diameter) const
{
  if (diameter >= largest()) return 1.0;
  if (diameter <= smallest()) return points.front().passing < 1.0 ? points.front().passing : 0.0;
  const auto above = std::upper_bound(points.begin(), points.end(), diameter,
                                      [](double d, const Point &point) { return d < point.diameter; });
  const Point &high = *above, &low = *(above - 1);
  return low.passing +
      (high.passing - low.passing) * std::log(diameter / low.diameter) / std::log(high.diameter / low.diameter);
}

FeedingOrder::FeedingOrder(const std::vector<Material> &materials)
{
  double all = 0.0;
  for (const Material &material : materials) all += material.fraction;
  for (std::size_t m = 0; m < materials.size(); ++m) {
    const Material &material = materials[m];
    const SizeDistribution &sizes = material.sizes;
    const auto add = [&](double low, double high, double part) {
      if (part > 0.0)
        classes.push_back(
            {static_cast<int>(m), material.type, material.density, low, high, part * material.fraction / all});
    };
    if (sizes.all_points().size() == 1) {
      add(sizes.largest(), sizes.largest(), 1.0);
      continue;
    }
    // Points closer together than the width of a class are merged into one class.
    const auto &points = sizes.all_points();
    double low = points.front().diameter;
    for (std::size_t k = 1; k < points.size(); ++k) {
      const double high = points[k].diameter;
      const bool is_last = k + 1 == points.size();
      if (!is_last && points[k + 1].diameter <= low * WIDEST) continue;
      const int parts = std::max(1, static_cast<int>(std::ceil(std::log(high / low) / std::log(WIDEST) - 1e-9)));
      for (int part = 0; part < parts; ++part) {
        const double begin = low * std::pow(high / low, static_cast<double>(part) / parts);
        const double end = part + 1 == parts ? high : low * std::pow(high / low, (part + 1.0) / parts);
        add(begin, end, sizes.finer(end) - sizes.finer(begin));
      }
      low = high;
    }
  }
  for (Class &one : classes) find_next_of(one);
  choose();
}

// Unlike std::pow, this function returns the same digits in two units of length that differ by a power of two.
static double cube(double x) { return x * x * x; }

/* ----------------------------------------------------------------------
   Chooses the diameter of the next grain of a class. The number density of grains is proportional to the power -4 of
   the diameter. Van der Corput's sequence distributes the diameters evenly.
------------------------------------------------------------------------- */

void FeedingOrder::find_next_of(Class &one)
{
  double part = 0.0, digit = 0.5;
  for (auto n = static_cast<unsigned long long>(one.count) + 1; n > 0; n /= 2, digit *= 0.5) part += (n % 2) * digit;
  const double fine = 1.0 / cube(one.low), coarse = 1.0 / cube(one.high);
  const double diameter = one.low == one.high ? one.low : 1.0 / cube_root(fine - part * (fine - coarse));
  one.diameter_of_next = std::clamp(diameter, one.low, one.high);
  one.mass_of_next = PI / 6.0 * one.density * cube(one.diameter_of_next);
}

void FeedingOrder::choose()
{
  double earliest = INFINITY;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const double due = (classes[k].mass + 0.5 * classes[k].mass_of_next) / classes[k].fraction;
    if (!(due < earliest)) continue;
    earliest = due;
    chosen = k;
  }
  upcoming = {classes[chosen].material, classes[chosen].type, classes[chosen].diameter_of_next,
              classes[chosen].mass_of_next};
}

void FeedingOrder::take()
{
  Class &one = classes[chosen];
  one.count += 1.0;
  one.mass += one.mass_of_next;
  find_next_of(one);
  choose();
}

double FeedingOrder::fed_mass() const
{
  double sum = 0.0;
  for (const Class &one : classes) sum += one.mass;
  return sum;
}

double FeedingOrder::fed_count() const
{
  double sum = 0.0;
  for (const Class &one : classes) sum += one.count;
  return sum;
}

std::vector<double> FeedingOrder::state() const
{
  std::vector<double> state;
  for (const Class &one : classes) {
    for (const double value : one.identity()) state.push_back(value);
    state.push_back(one.count);
    state.push_back(one.mass);
  }
  return state;
}

bool FeedingOrder::restore(const double *state, std::size_t size)
{
  constexpr double ROUNDING = 1.0e-9;    // results of mathematical functions differ between machines
  if (size != this->state().size()) return false;
  const double *before = state;
  for (const Class &one : classes) {
    for (const double value : one.identity())
      if (!(std::fabs(*before++ - value) <= ROUNDING * value)) return false;
    before += 2;
  }
  for (Class &one : classes) {
    state += one.identity().size();
    one.count = *state++;
    one.mass = *state++;
    find_next_of(one);
  }
  choose();
  return true;
}

}    // namespace granular_plus
