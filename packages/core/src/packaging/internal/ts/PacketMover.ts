/**
 * Moves bytes into the packets of an MPEG transport stream, with a function of WebAssembly (W3C WebAssembly Core Specification 2.0). It moves
 * the 184 bytes of a packet by instructions of 16 bytes, where each call of `copyWithin` takes longer than its copy: a segment of 1 MB has
 * some 5,500 packets.
 */
import * as Memory from "../Memory.ts"

/**
 * Writes packets that follow each other, from `at` on, each with its header and the next bytes from `source` on. Both are offsets in the
 * linear memory. The bytes may be where the packets come to be, if all of them are at the end of it. `header` has the first byte of a header in
 * its lowest one, and the continuity counter 0; `counter` is that of the first packet.
 */
export type MovePackets = (at: number, source: number, count: number, header: number, counter: number) => void

/** Bytes of a packet: its header, and what comes after it. */
export const headerBytes = 4
export const roomBytes = 184

/** Writes an integer of any size (LEB128). Those with a sign here are positive, and bit 6 of their last byte is 0. */
const integer = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...integer(value >>> 7)]

const sized = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => [...integer(bytes.length), ...bytes]
const section = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [id, ...sized(content)]
const name = (text: string): ReadonlyArray<number> => sized([...text].map((letter) => letter.charCodeAt(0)))

/** Parameters of the function, in the order of `MovePackets`. */
const [at, source, count, header, counter] = [0, 1, 2, 3, 4]
const parameters = 5

type Instruction = ReadonlyArray<number>
const get = (local: number): Instruction => [0x20, local]
const set = (local: number): Instruction => [0x21, local]
const tee = (local: number): Instruction => [0x22, local]
const constant = (value: number): Instruction => [0x41, ...integer(value)]
const add = [0x6a]
const subtract = [0x6b]
const and = [0x71]
const or = [0x72]
const shiftLeft = [0x74]
const loop = [0x03, 0x40]
const repeatUnlessZero = [0x0d, 0]
const end = [0x0b]
/** Addresses need not be a multiple of anything. */
const access = (offset: number): Instruction => [0, ...integer(offset)]
const store4 = (offset: number): Instruction => [0x36, ...access(offset)]
const load8 = (offset: number): Instruction => [0x29, ...access(offset)]
const store8 = (offset: number): Instruction => [0x37, ...access(offset)]
const load16 = (offset: number): Instruction => [0xfd, 0x00, ...access(offset)]
const store16 = (offset: number): Instruction => [0xfd, 0x0b, ...access(offset)]

const move16 = (offset: number): ReadonlyArray<Instruction> => [
  get(at),
  get(source),
  load16(offset),
  store16(headerBytes + offset)
]

/** A loop with one packet in each turn. */
const instructions: ReadonlyArray<ReadonlyArray<Instruction>> = [
  [loop],
  [get(at), get(header), get(counter), constant(24), shiftLeft, or, store4(0)],
  ...Array.from({ length: Math.floor(roomBytes / 16) }, (_, index) => move16(16 * index)),
  [get(at), get(source), load8(roomBytes - 8), store8(headerBytes + roomBytes - 8)],
  [get(counter), constant(1), add, constant(15), and, set(counter)],
  [get(source), constant(roomBytes), add, set(source)],
  [get(at), constant(headerBytes + roomBytes), add, set(at)],
  [get(count), constant(1), subtract, tee(count), repeatUnlessZero],
  [end, end]
]

/** A module begins with these bytes: its mark, and version 1 of the format. */
const preamble = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

/** A module with the function, which imports its memory. */
const program = Uint8Array.from([
  ...preamble,
  // The type of the function: parameters of 32 bits, no result.
  ...section(1, [1, 0x60, ...sized(Array.from({ length: parameters }, () => 0x7f)), 0]),
  ...section(2, [1, ...name("memory"), ...name("linear"), 2, 0, 0]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...name("move"), 0, 0]),
  ...section(10, [1, ...sized([0, ...instructions.flat(2)])])
])

/** Undefined for a processor without instructions of 16 bytes. */
let compiled: { readonly module: WebAssembly.Module | undefined } | undefined

const instantiate = (memory: WebAssembly.Memory): MovePackets | undefined => {
  compiled ??= { module: WebAssembly.validate(program) ? new WebAssembly.Module(program) : undefined }
  if (compiled.module === undefined) return undefined
  const { exports } = new WebAssembly.Instance(compiled.module, { memory: { linear: memory } })
  return exports["move"] as MovePackets
}

const functions = new WeakMap<WebAssembly.Memory, MovePackets | undefined>()

/** Returns the function for a block; undefined if the block is no linear memory, or the engine has no such function. */
export const find = (block: Uint8Array): MovePackets | undefined => {
  const memory = Memory.linearOf(block)
  if (memory === undefined) return undefined
  if (!functions.has(memory)) functions.set(memory, instantiate(memory))
  return functions.get(memory)
}
