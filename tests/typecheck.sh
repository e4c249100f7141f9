#!/bin/sh
# mypy wants a folder named like the package; the checkout may have any name.
# usage: typecheck.sh PYTHON
set -eu
here=$(pwd)
python=$1
case $python in /*) ;; *) python="$here/$python" ;; esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$here" "$folder/isogloss"
cd "$folder"
"$python" -m mypy --config-file "$here/pyproject.toml" --cache-dir "$here/.mypy_cache" -p isogloss
