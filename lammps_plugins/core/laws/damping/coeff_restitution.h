#ifndef GRANULAR_PLUS_DAMPING_COEFF_RESTITUTION_H
#define GRANULAR_PLUS_DAMPING_COEFF_RESTITUTION_H

#include "tsuji.h"

GRANULAR_PLUS_LAWS_BEGIN
namespace damping {

// Like the damping law `tsuji`, but with a closed form of alpha(e). For Hertz contacts, the form is that of Antypov &
// Elliott.
struct CoeffRestitution : Tsuji {
  static constexpr const char *name = "coeff_restitution";
  static constexpr const char *source = "[antypov2011]; for hooke: the damped oscillator";

  static Constants prepare(const Material &material)
  {
    const double log_e = std::log(material.damping);
    const double ratio = -log_e / std::sqrt(PI * PI + log_e * log_e);
    return {(material.linear ? 2.0 : std::sqrt(5.0)) * ratio};
  }
};

}    // namespace damping
GRANULAR_PLUS_LAWS_END

#endif
