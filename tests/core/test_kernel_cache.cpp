// Stored kernels are either read back unchanged or ignored.

#include "device/kernel_cache.h"

#include "own_folder.h"

#include <doctest/doctest.h>

using namespace granular_plus;

namespace {

const CompiledKernel SOME{std::string("ELF\0\0code\n", 10), "_Z3runI4SomeEvi"};

bool same(const std::optional<CompiledKernel> &found, const CompiledKernel &expected)
{
  return found && found->code == expected.code && found->name == expected.name;
}

}    // namespace

TEST_CASE("a kernel is found again under its key and under no other key")
{
  const OwnFolder here;
  const KernelCache cache(here / "below/both");
  CHECK_FALSE(cache.find("one"));
  cache.keep("one", SOME);
  cache.keep("two", {"", "empty"});
  CHECK(same(cache.find("one"), SOME));
  CHECK(same(KernelCache(here / "below/both").find("two"), {"", "empty"}));
  CHECK_FALSE(cache.find("on"));
  CHECK_FALSE(cache.find("one "));
  CHECK_FALSE(cache.find(""));
  CHECK(here.files() == 2);
  const CompiledKernel other{"other", "name"};
  cache.keep("one", other);
  CHECK(same(cache.find("one"), other));
}

TEST_CASE("a file is ignored if it is damaged or belongs to another key")
{
  const OwnFolder here;
  const KernelCache cache(here.path);
  cache.keep("one", SOME);
  const std::string whole = text_of(cache.file_of("one"));
  const auto found_in = [&](const std::string &content) {
    std::ofstream(cache.file_of("one"), std::ios::binary) << content;
    return cache.find("one");
  };
  CHECK(same(found_in(whole), SOME));
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string damaged = whole;
    damaged[k] ^= 1;
    CHECK_FALSE(found_in(damaged));
    CHECK_FALSE(found_in(whole.substr(0, k)));
  }
  CHECK_FALSE(found_in(whole + "more"));
  CHECK_FALSE(found_in("somebody else's"));
  cache.keep("two", SOME);
  CHECK_FALSE(found_in(text_of(cache.file_of("two"))));
  cache.keep("one", SOME);
  CHECK(same(cache.find("one"), SOME));
}

TEST_CASE("if no file can be written, nothing is stored and nothing fails")
{
  const OwnFolder here;
  here.write("file", "of a user");
  for (const KernelCache &cache : {KernelCache(""), KernelCache(here / "file"), KernelCache(here / "file/below")}) {
    cache.keep("one", SOME);
    CHECK_FALSE(cache.find("one"));
  }
  std::filesystem::create_directories(KernelCache(here.path).file_of("one"));
  KernelCache(here.path).keep("one", SOME);
  CHECK_FALSE(KernelCache(here.path).find("one"));
  CHECK(here.files() == 1);
  CHECK(text_of(here / "file") == "of a user");
}

TEST_CASE("the folder is set by an environment variable, or is in the user's cache")
{
  CHECK(folder_of_kept_kernels("/fast", "/cache", "/home/me") == "/fast");
  CHECK(folder_of_kept_kernels("no", "/cache", "/home/me") == "");
  CHECK(folder_of_kept_kernels(nullptr, "/cache", "/home/me") == "/cache/granular_plus/kernels");
  CHECK(folder_of_kept_kernels("", "relative", "/home/me") == "/home/me/.cache/granular_plus/kernels");
  CHECK(folder_of_kept_kernels(nullptr, nullptr, "/home/me") == "/home/me/.cache/granular_plus/kernels");
  CHECK(folder_of_kept_kernels(nullptr, "", nullptr) == "");
}

TEST_CASE("digests equal those of FNV-1a")
{
  // from the test vectors of the authors of FNV, http://www.isthe.com/chongo/tech/comp/fnv
  CHECK(digest_of("") == "6c62272e07bb014262b821756295c58d");
  CHECK(digest_of("a") == "d228cb696f1a8caf78912b704e4a8964");
  CHECK(digest_of("foobar") == "343e1662793c64bf6f0d3597ba446f18");
}

TEST_CASE("the digest of a program depends on the headers that the program includes, and on no other headers")
{
  const OwnFolder here;
  const auto lay_out = [&](const std::string &below) {
    here.write(below + "/a/first.h", "#include \"deep/second.h\"\n  #  include <third>\nint a;\n");
    here.write(below + "/a/deep/second.h", "#include \"beside.h\"\n#include \"../first.h\"\n");
    here.write(below + "/a/deep/beside.h", "int b;");
    here.write(below + "/b/third", "int c;");
    here.write(below + "/b/beside.h", "// hidden by the one beside second.h");
    here.write(below + "/b/unused.h", "// #include <third>");
  };
  const auto digest = [&](const std::string &below) {
    return digest_of_program("#include \"first.h\"\n#include <nowhere>\n",
                             {here / (below + "/a"), here / (below + "/b")});
  };
  lay_out("one");
  lay_out("two/elsewhere");
  const std::string whole = digest("one");
  CHECK(digest("two/elsewhere") == whole);
  for (const char *unused : {"one/b/unused.h", "one/b/beside.h"}) {
    here.write(unused, "changed");
    CHECK(digest("one") == whole);
  }
  for (const char *used : {"one/a/first.h", "one/a/deep/second.h", "one/a/deep/beside.h", "one/b/third"}) {
    const std::string before = text_of(here / used);
    here.write(used, before + " ");
    CHECK(digest("one") != whole);
    here.write(used, before);
  }
  CHECK(digest("one") == whole);
  CHECK(digest_of_program("#include \"third\"\n", {here / "one/b"}) != whole);
}
