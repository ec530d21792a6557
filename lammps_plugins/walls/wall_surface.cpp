#include "wall_surface.h"

#include "error.h"

#include <algorithm>
#include <cmath>

using namespace LAMMPS_NS;

namespace {

struct Style {
  const char *name;
  std::size_t arguments;
  const char *needs;
};
constexpr Style STYLES[] = {{"xplane", 2, "two positions, lo and hi"},
                            {"yplane", 2, "two positions, lo and hi"},
                            {"zplane", 2, "two positions, lo and hi"},
                            {"zcylinder", 1, "a radius"},
                            {"mesh", 1, "an STL file"},
                            {"region", 1, "the ID of a region"}};

const Style *style_named(const std::string &word)
{
  return std::find_if(std::begin(STYLES), std::end(STYLES), [&](const Style &style) { return word == style.name; });
}

std::unique_ptr<WallSurface> make(LAMMPS *lmp, const std::string &name, const std::string *argument)
{
  if (name == "region") return make_region_wall(lmp, argument[0]);
  if (name == "mesh") return make_mesh_wall(lmp, argument[0]);
  if (name == "zcylinder") return make_cylinder_wall(lmp, argument[0]);
  return make_planes_wall(lmp, name[0] - 'x', argument[0], argument[1]);
}

}    // namespace

double WallBody::distance_since_last_place(const granular_plus::Extent &space)
{
  const double *here = pose.displacement, *there = last_pose.displacement;
  const double shift = std::hypot(here[0] - there[0], here[1] - there[1], here[2] - there[2]);
  const double turn = std::fabs(pose.angle - last_pose.angle);
  last_pose = pose;
  if (turn == 0.0 || space.is_empty()) return shift;
  double furthest = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    double arm[3], square = 0.0;
    for (int d = 0; d < 3; ++d) arm[d] = ((corner >> d & 1) ? space.high : space.low)[d] - here[d] - pivot[d];
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      const double across = axis[e] * arm[f] - axis[f] * arm[e];
      square += across * across;
    }
    furthest = std::max(furthest, square);
  }
  return shift + turn * std::sqrt(furthest);
}

bool WallSurface::is_style(const std::string &word) { return style_named(word) != std::end(STYLES); }

std::vector<std::string> WallSurface::styles()
{
  std::vector<std::string> names;
  for (const Style &style : STYLES) names.push_back(style.name);
  return names;
}

std::unique_ptr<WallSurface> WallSurface::create(LAMMPS *lmp, const std::string &message_prefix,
                                                 const std::vector<std::string> &words, std::size_t &next)
{
  const Style &style = *style_named(words[next]);
  const std::string name = style.name;
  if (next + style.arguments >= words.size())
    lmp->error->all(FLERR, "granular/plus: wall style {} needs {}", name, style.needs);
  const std::string *argument = &words[next + 1];
  next += 1 + style.arguments;
  auto surface = make(lmp, name, argument);
  surface->message_prefix = message_prefix;
  return surface;
}
