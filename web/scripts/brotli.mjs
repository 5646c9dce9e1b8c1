// Compression with brotli, as the page's files are served and as the sizes of engines are measured.
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const compress = promisify(brotliCompress);

/**
 * The base-2 logarithm of the block size. With the default, 18, the sizes of two engines that differ in a
 * few functions differ by up to 10 KB.
 */
const blockBits = 20;

/** The size in bytes from which the highest quality would take minutes; the next lower one makes a file a seventh larger. */
const huge = 20 << 20;

export function brotli(data) {
  return compress(data, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: data.length < huge ? 11 : 9,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_LGBLOCK]: blockBits,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });
}
