// A contact model, the laws of a contact with their parameters: what goes together, mixing, and what LAMMPS asks of it.
// Knows nothing of LAMMPS.

#ifndef GRANULAR_PLUS_CONTACT_MODEL_H
#define GRANULAR_PLUS_CONTACT_MODEL_H

#include "../kernels/kernels.h"
#include "../laws/normal/nonlocal_law.h"
#include "parse.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace granular_plus {

// what contacts keep beyond the springs of their laws: for the energy ledger, and of how the two met
enum class Ledger { NO, YES, COLLISIONS };

// where each law finds its values in a row of contact history
struct HistoryLayout {
  std::array<int, ROLES> first{};
  int normal = -1;    // first of the three of the normal, where contacts of shapes keep it; -1: they do not
  int ledger = 0;     // first of the values that observing stages remember
  std::array<int, REMEMBERED_PARTS> remembered{};    // first of each part, -1 where contacts do not keep it
  int ledger_kept() const { return has_ledger ? ledger : -1; }
  bool has_ledger = false;          // stages observe: for a ledger, or for the heat of friction
  int observables = OBSERVABLES;    // how many stages fill
  unsigned parts = 0;               // those that contacts keep, a bit for each
  int size = 0;                     // of a row, filled up where there is a ledger
  std::string contents;             // names of the laws that keep values: rows of other laws mean something else
};

// Where each of the parts begins in a row, the first of them at `first`; -1 for others.
std::array<int, REMEMBERED_PARTS> beginnings_of_parts(unsigned parts, int first);

// What meets: spheres with each other or with planes and curved walls; a sphere and the patches of a mesh; a body of any
// shape. Of the last two the overlap has a gradient, see Batch::gradient.
enum class Surfaces { ROUND, PATCHES, SHAPES };

// Of what restart files hold. It changes by itself with what is tallied and remembered; raise the last number when
// anything else changes.
constexpr double RESTART_FORMAT = 1.0e6 * OBSERVABLES + 1.0e3 * REMEMBERED + 16;

class ContactModel {
 public:
  // the words of a pair_coeff command after the types; throws InputError
  explicit ContactModel(const std::vector<std::string> &words) : ContactModel(words, false, {}) {}

  // for contacts with a wall, which may have a material of its own: wallmaterial E nu; a word that nobody knows may be
  // a mistyped one of those that follow
  static ContactModel against_wall(const std::vector<std::string> &words,
                                   const std::vector<std::string> &following = {})
  {
    return ContactModel(words, true, following);
  }

  // coefficients for unlike types, as pair granular mixes them; throws InputError
  static ContactModel mix(const ContactModel &a, const ContactModel &b);
  bool mixed() const { return is_mixed; }

  // keywords and numbers that parse to this very model; not for a mixed one
  std::string text() const { return text_of(choices); }

  bool has(Role role) const { return choices.has(role); }
  const LawEntry &law(Role role) const { return choices.law(role); }
  // largest gap across which a contact of particles up to these radii lives on
  double breaking_gap(double radius_i, double radius_j, const Kernels &kernels) const;
  // largest gap across which they pass heat, 0 where they do not
  double heat_gap(double radius_i, double radius_j) const;
  // the larger of the two
  double acting_gap(double radius_i, double radius_j, const Kernels &kernels) const;
  // heat is conducted, or made of what contacts dissipate
  bool conducts() const { return law(HEAT).conducts || heat_crosses_gaps() || liquid_conducts(); }
  bool liquid_conducts() const;
  bool radiates() const;
  bool heat_crosses_gaps() const;
  bool warms() const;
  // the liquid of bridges belongs to the grains
  bool from_films() const { return law(BRIDGE).from_films; }
  bool viscous_bridges() const;
  double bridge_volume() const;    // 0 where it belongs to the grains
  bool acts_across_gap() const
  {
    return law(NORMAL).acts_across_gap || law(BRIDGE).acts_across_gap || attracts() || heat_crosses_gaps();
  }
  bool attracts() const { return !choices.attraction.empty(); }    // before surfaces touch
  // the force of a contact depends on all contacts of its grains together
  bool nonlocal() const { return has(NORMAL) && law(NORMAL).nonlocal; }
  NonlocalLaw nonlocal_law() const;
  bool bonds() const { return has(BOND) && law(BOND).history > 0; }
  // the coefficient of the tangential law, 0 where there is none
  double friction() const;
  double cutoff() const { return choices.cutoff; }    // negative: not given

  // shortest time of a collision, for the check of the time step; infinite where nothing repels
  double collision_time(double effective_mass, double effective_radius, double speed, double timestep) const;
  // How a contact that does not slide resists its first step, at the deepest of such a collision, for the check of the time
  // step: force per velocity gamma_t + k_t dt, and torque per spin.
  struct Resistance {
    double to_slip = 0.0, to_rolling = 0.0, to_twisting = 0.0;
  };
  Resistance resistance(double effective_mass, double effective_radius, double speed, double timestep,
                        const Kernels &kernels) const;
  // that an adaptive law was given, infinite for others
  double prescribed_time(double timestep) const;
  bool time_in_steps() const { return choices.choice[NORMAL].in_steps; }

  // what the user should know of this choice, empty if nothing
  std::string advice() const;

  // likewise, of what mixing has made of two models
  std::string advice_on_mixing() const;

  // what is wrong with bridges between particles whose Derjaguin radius lies in this range, empty if nothing is
  std::string outside_fit(double smallest_radius, double largest_radius) const;

  // stages and constants; observing stages need a layout with room for what they remember; the time step is what
  // arguments in steps count in
  void compile(PairGroup &pair_group, const HistoryLayout &layout, const Kernels &kernels, double timestep,
               Surfaces surfaces = Surfaces::ROUND) const;

  // Likewise of its bonds, whose rows are those of bond_layout.
  void compile_bond(PairGroup &pair_group, const HistoryLayout &layout, const Kernels &kernels, double timestep) const;
  // Writes what a new bond keeps to the row; the separation leads from i to j, quaternions are w, x, y, z. False where it
  // has no strength and does not form.
  bool begin_bond(const double *separation, const double *quaternion_i, const double *quaternion_j, double radius_i,
                  double radius_j, std::uint64_t id_i, std::uint64_t id_j, double *row) const;
  // Of a bond with this row, as part of a network in which grains have so many bonds: the largest angular frequency, and
  // the largest rate at which its dashpots slow a motion down.
  struct BondRates {
    double frequency, damping;
  };
  BondRates bond_rates(const double *row, double mass_i, double mass_j, double radius_i, double radius_j,
                       int bonds_of_grain) const;

  // -1 where a history value changes sign with the order of the pair, else 1
  std::vector<double> signs(const HistoryLayout &layout) const;
  std::vector<double> signs_of_bond(const HistoryLayout &layout) const;

 private:
  ContactModel() = default;
  ContactModel(const std::vector<std::string> &words, bool wall, const std::vector<std::string> &following);
  void check() const;
  void check_nonlocal() const;
  void set_constants_of_laws(ModelConstants &constants, double timestep) const;
  void set_constants(ModelConstants &constants, const HistoryLayout &layout, double timestep, Surfaces surfaces) const;
  void choose_stages(PairGroup &pair_group, bool observes, const Kernels &kernels, Surfaces surfaces) const;
  double attraction_time(double effective_mass, double effective_radius) const;
  void mix_with_wall(double modulus, double poisson_ratio);
  bool tangential_from_material() const;
  const double *argument_of_normal(Quantity quantity) const;    // null if it has none, or NULL
  double shear_modulus() const;                                 // effective, of the material with itself; 0: unknown

  int chosen(Role role) const { return choices.choice[role].law; }
  const std::vector<double> &parameters(Role role) const { return choices.choice[role].parameters; }
  std::vector<double> normal_parameters(double timestep) const;    // those given in steps as times

  Choices choices;
  bool is_mixed = false, is_against_wall = false, lost_synchronization = false;
  double mixed_shear_modulus = 0.0;    // effective, of two materials; 0: as the normal law gives it
};

// Room for the largest law of each role; ledger: whether stages are to observe even where no model needs it; normals:
// whether contacts keep theirs, from which springs turn.
HistoryLayout common_layout(const std::vector<ContactModel> &models, Ledger ledger, bool normals = false);
// Bonds have rows of their own: values of their law, then what a ledger remembers of them.
HistoryLayout bond_layout(const std::vector<ContactModel> &models, bool ledger);

// a fingerprint of a layout's contents, stored in restart files
double fingerprint(const std::string &contents);

}    // namespace granular_plus

#endif
