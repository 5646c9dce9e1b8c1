// The key of a request among the prepared answers, for the page and for the script that
// prepares them.

/** keyOf is a hash of 64 bits, FNV-1a over the UTF-16 units, beside the request's length. */
export function keyOf(request) {
  let low = 0x84222325,
    high = 0xcbf29ce4;
  for (let i = 0; i < request.length; i++) {
    low = (low ^ request.charCodeAt(i)) >>> 0;
    // times 0x100000001b3, the prime 2^40 + 0x1b3
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return `${request.length.toString(36)}-${high.toString(36)}-${low.toString(36)}`;
}
