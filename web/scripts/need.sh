#!/bin/sh
# Says in one line what is missing to build or test the page, and installs
# Chromium where that can be done without asking (as root, with apt).
#   need.sh build | test
set -eu
for tool in node npm; do
  command -v "$tool" > /dev/null || { echo "the playground's page needs Node.js 20 or newer with npm: apt-get install nodejs npm" >&2; exit 1; }
done
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || { echo "the playground's page needs Node.js 20 or newer, this is $(node --version)" >&2; exit 1; }
[ "$1" = test ] || exit 0
for browser in "${CHROMIUM:-/usr/bin/chromium}" /usr/bin/chromium-browser /usr/bin/google-chrome; do
  [ ! -x "$browser" ] || exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  apt-get install -y --no-install-recommends chromium > /dev/null 2>&1 || { apt-get update > /dev/null && apt-get install -y --no-install-recommends chromium > /dev/null; }
fi
[ -x /usr/bin/chromium ] || { echo "the tests of the page need Chromium: apt-get install chromium (or set CHROMIUM to the path of one)" >&2; exit 1; }
