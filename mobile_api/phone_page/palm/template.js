/** Encodes templates: version 1 of engine/template_codec.py, which describes the layout. */

const MAGIC = [0x54, 0x48, 0x4e, 0x52];
const VERSION = 1;
const SIDES = { left: 1, right: 2 };
const HEAD_BYTES = 12;

/**
 * Encode a template of a probe: its dense code follows the code.
 *
 * @param {{extractor: string, side: "left"|"right", vector: Float32Array, code: Uint8Array,
 *   dense: Uint8Array}} it
 * @returns {Uint8Array}
 */
export function encodeTemplate({ extractor, side, vector, code, dense }) {
  const name = new TextEncoder().encode(extractor);
  const codeStart = HEAD_BYTES + name.length + 4 * vector.length;
  const bytes = new Uint8Array(codeStart + code.length + dense.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  bytes.set([VERSION, SIDES[side], name.length, 0], MAGIC.length);
  view.setUint16(8, vector.length, true);
  view.setUint16(10, code.length + dense.length, true);
  bytes.set(name, HEAD_BYTES);
  vector.forEach((number, at) => view.setFloat32(HEAD_BYTES + name.length + 4 * at, number, true));
  bytes.set(code, codeStart);
  bytes.set(dense, codeStart + code.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

/** Return the CRC-32 of ISO 3309, as in PNG and zip. */
export function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
