/**
 * Arrays that share one memory. A memory for each array takes a microsecond to allocate and to collect as garbage, and a segment needs some
 * thirty arrays.
 */
export interface ArrayMemory {
  /** Return the next array of so many zeros. Those with larger elements must come first. */
  readonly float64: (length: number) => Float64Array
  readonly uint32: (length: number) => Uint32Array
  readonly int32: (length: number) => Int32Array
  readonly uint8: (length: number) => Uint8Array
}

/** Makes the memory. Throws a `RangeError` when more than its bytes are used. */
export const make = (bytes: number): ArrayMemory => {
  const memory = new ArrayBuffer(bytes)
  let at = 0
  const next = (bytes: number): number => {
    const start = at
    at += bytes
    return start
  }
  return {
    float64: (length) => new Float64Array(memory, next(8 * length), length),
    uint32: (length) => new Uint32Array(memory, next(4 * length), length),
    int32: (length) => new Int32Array(memory, next(4 * length), length),
    uint8: (length) => new Uint8Array(memory, next(length), length)
  }
}
