#!/usr/bin/env bash
# Checks that nothing from which bits follow calls a function of the compiler's library that is not exact: its last bit
# differs between systems. src/math/float64.h has those that are needed. Prints each call.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
inexact='a?(sin|cos|tan)h?|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|tgamma|lgamma|erf'

calls=$(grep -nE "(^|[^a-zA-Z0-9_.>])($inexact)[fl]? ?\(" -r --include='*.[ch]' shaders/ops \
    src/{base,math,rig,clip,match,program,control,graph,cpu,skin,pack} | grep -vE '^[^:]*:[0-9]*: *//')
[ -z "$calls" ] || { echo "$calls"; exit 1; }
