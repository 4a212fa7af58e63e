#!/bin/sh
# Runs the project's own Node, which needs a library that a bare Debian or Ubuntu does not have.
node --version >/dev/null 2>&1 && exec node "$@"
case $(node --version 2>&1) in
  *libatomic*)
    echo "Node 26 needs the library libatomic.so.1. Install it (Debian, Ubuntu: apt-get install libatomic1) and run the command again." >&2
    exit 1
    ;;
esac
exec node "$@"
