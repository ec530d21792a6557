# Toolchain file to compile for Linux on aarch64 on any Linux machine (Debian's package g++-aarch64-linux-gnu), see `make wheels`
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
