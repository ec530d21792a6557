// The distribution of grain mass over diameter, and an order of feeding that follows the distribution at any time.

#ifndef GRANULAR_PLUS_SIZE_DISTRIBUTION_H
#define GRANULAR_PLUS_SIZE_DISTRIBUTION_H

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace granular_plus {

// The mass fraction of grains finer than a given diameter. Between two points, the fraction is linear in the logarithm
// of the diameter.
class SizeDistribution {
 public:
  struct Point {
    double diameter, passing;
  };

  // Reads the words after the keyword: one D, uniform LO HI, lognormal MEDIAN SIGMA LO HI, rosin_rammler SIZE N LO
  // HI, or sieve D0 P0 D1 P1 ... Sets `next` to the index of the first word that was not read. Throws InputError.
  static SizeDistribution parse(const std::vector<std::string> &words, std::size_t &next);

  double smallest() const { return points.front().diameter; }
  double largest() const { return points.back().diameter; }
  double finer(double diameter) const;
  const std::vector<Point> &all_points() const { return points; }

 private:
  // Points in ascending order. `passing` grows from 0 to 1. A single size has one point, where `passing` is 1.
  std::vector<Point> points;
  template <class Passing> void sample(double low, double high, const Passing &passing);
};

// Grains in the order in which they are fed. Each material is divided into narrow size classes. Each class has a share
// of the total mass. The next grain comes from the class that lags furthest behind its share.
class FeedingOrder {
 public:
  struct Material {
    int type;
    double density;    // mass divided by the volume of the sphere around a grain
    double fraction;
    SizeDistribution sizes;
  };
  struct Grain {
    int material = 0, type = 0;
    double diameter = 0.0, mass = 0.0;
  };
  explicit FeedingOrder(const std::vector<Material> &materials);

  const Grain &next() const { return upcoming; }
  void take();    // must be called when the next grain has been fed

  double fed_mass() const;
  double fed_count() const;
  // The state contains the identity, the grain count and the mass of each class. restore returns false if the classes
  // in the state differ from the classes of this object.
  std::vector<double> state() const;
  bool restore(const double *state, std::size_t size);

 private:
  struct Class {
    int material, type;
    double density, low, high, fraction;
    double count = 0.0, mass = 0.0;
    double diameter_of_next = 0.0, mass_of_next = 0.0;
    std::array<double, 5> identity() const { return {static_cast<double>(type), density, low, high, fraction}; }
  };
  std::vector<Class> classes;
  std::size_t chosen = 0;
  Grain upcoming;
  void choose();
  static void find_next_of(Class &one);
};

}    // namespace granular_plus

#endif
