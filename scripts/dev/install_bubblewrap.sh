#!/bin/sh
# Install bubblewrap, the sandbox for model-written code, where that needs no password. Never fails: without it the
# demo says so and runs in a plain process.
set -u

if command -v bwrap > /dev/null; then
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    as_root=""
elif sudo -n true 2> /dev/null; then
    as_root="sudo -n"
else
    echo "bubblewrap is not installed and this account may not install it; ask for: apt-get install bubblewrap" >&2
    exit 0
fi
echo "Installing bubblewrap, the sandbox for model-written code"
if command -v apt-get > /dev/null; then
    $as_root apt-get update -qq && $as_root apt-get install -y -qq bubblewrap
elif command -v dnf > /dev/null; then
    $as_root dnf install -y -q bubblewrap
fi
command -v bwrap > /dev/null || echo "bubblewrap could not be installed; install it by hand" >&2
exit 0
