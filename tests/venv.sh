# Python environments with pinned packages, made once under target/ and kept until the pins change.
# For sourcing from the root of the project.

# `venv FOLDER PACKAGE==VERSION...`; fails where the packages cannot be had.
venv() {
  local folder=$1
  shift
  [ "$(cat "$folder/pins" 2>/dev/null)" = "$*" ] && return
  rm -rf "$folder" &&
    python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" &&
    echo "$*" >"$folder/pins"
}

# `oracle_venv CHECK`: the environment of the independent programs that answers are held against. Where
# it cannot be made the check of that name counts as skipped, and this fails.
oracles=target/oracle-venv
oracle_venv() {
  # numpy is a dependency of highspy; its version matters to nothing but is held still.
  venv "$oracles" highspy==1.16.0 networkx==3.6.1 numpy==2.4.6 && return
  echo "SKIPPED $1: its Python packages cannot be installed" | tee -a target/skipped.txt
  return 1
}
