// A mock of the functions of NVRTC that the plug-in calls. The "compiled" code consists of the source text and the
// options.

#include <cstring>
#include <string>

namespace {

struct Program {
  std::string text, type, code, log;
};
int so_far = 0;

Program *of(void *handle) { return static_cast<Program *>(handle); }

}    // namespace

extern "C" {

int programs_compiled() { return so_far; }

int nvrtcVersion(int *major, int *minor)
{
  *major = 13, *minor = 5;
  return 0;
}

int nvrtcCreateProgram(void **program, const char *text, const char *, int, const char *const *, const char *const *)
{
  *program = new Program{text, "", "", ""};
  return 0;
}

int nvrtcDestroyProgram(void **program)
{
  delete of(*program);
  return 0;
}

int nvrtcAddNameExpression(void *program, const char *type)
{
  of(program)->type = type;
  return 0;
}

int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
  constexpr int COMPILATION = 6;
  ++so_far;
  of(program)->log = "error: no type in " + of(program)->type;
  of(program)->code = std::string("ELF\0", 4) + of(program)->text;    // contains a null byte, as compiled code does
  for (int k = 0; k < count; ++k) of(program)->code += std::string(options[k]) + "\n";
  return of(program)->type == "run<>" ? COMPILATION : 0;
}

int nvrtcGetProgramLogSize(void *program, std::size_t *size)
{
  *size = of(program)->log.size() + 1;
  return 0;
}

int nvrtcGetProgramLog(void *program, char *log)
{
  std::strcpy(log, of(program)->log.c_str());
  return 0;
}

int nvrtcGetCUBINSize(void *program, std::size_t *size)
{
  *size = of(program)->code.size();
  return 0;
}

int nvrtcGetCUBIN(void *program, char *code)
{
  of(program)->code.copy(code, of(program)->code.size());
  return 0;
}

int nvrtcGetLoweredName(void *program, const char *, const char **name)
{
  *name = of(program)->type.c_str();
  return 0;
}

const char *nvrtcGetErrorString(int) { return "an error of the imitation"; }
}
