/**
 * Moves bytes into the packets of an MPEG transport stream, with functions of WebAssembly (W3C WebAssembly Core Specification 2.0). They move
 * the 184 bytes of a packet by instructions of 16 bytes, where each call of `copyWithin` takes longer than its copy: a segment of 1 MB has
 * some 5,500 packets.
 */
import * as Memory from "../Memory.ts"

/**
 * Writes packets that follow each other, from `at` on, each with its header and the next bytes from `source` on. Both are offsets in the
 * linear memory. The bytes may be where the packets come to be, if all of them are at the end of it. `header` has the first byte of a header in
 * its lowest one, and the continuity counter 0; `counter` is that of the first packet.
 */
type MovePackets = (at: number, source: number, count: number, header: number, counter: number) => void

/** Functions of one linear memory, in which all offsets are. */
export interface PacketMover {
  readonly movePackets: MovePackets
  /** Copies bytes, which may overlap. */
  readonly copy: (at: number, source: number, bytes: number) => void
  /** Writes a byte this many times. */
  readonly fill: (at: number, value: number, bytes: number) => void
}

/** Bytes of a packet: its header, and what comes after it. */
export const headerBytes = 4
export const roomBytes = 184

/** Writes an integer of any size (LEB128). Those with a sign here are positive, and bit 6 of their last byte is 0. */
const integer = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...integer(value >>> 7)]

const sized = (bytes: ReadonlyArray<number>): ReadonlyArray<number> => [...integer(bytes.length), ...bytes]
const section = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [id, ...sized(content)]
const name = (text: string): ReadonlyArray<number> => sized([...text].map((letter) => letter.charCodeAt(0)))

/** Parameters of `movePackets`, in their order. The other functions have three. */
const [at, source, count, header, counter] = [0, 1, 2, 3, 4]

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
const copyMemory = [0xfc, 0x0a, 0, 0]
const fillMemory = [0xfc, 0x0b, 0]
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
const movePackets: ReadonlyArray<ReadonlyArray<Instruction>> = [
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

/** A function that passes its three parameters to an instruction. */
const toFunction = (instruction: Instruction) => [[get(0), get(1), get(2), instruction, end]]

/** A type of functions: parameters of 32 bits, no result. */
const typeOf = (parameters: number) => [0x60, ...sized(Array.from({ length: parameters }, () => 0x7f)), 0]

/** The functions by their names: the number of their type, and their instructions. */
const functions: Readonly<
  Record<keyof PacketMover, readonly [type: number, ReadonlyArray<ReadonlyArray<Instruction>>]>
> = {
  movePackets: [0, movePackets],
  copy: [1, toFunction(copyMemory)],
  fill: [1, toFunction(fillMemory)]
}

const list = (parts: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [parts.length, ...parts.flat()]

/** A module with the functions, which imports its memory. */
const program = Uint8Array.from([
  ...preamble,
  ...section(1, list([typeOf(5), typeOf(3)])),
  ...section(2, list([[...name("memory"), ...name("linear"), 2, 0, 0]])),
  ...section(3, list(Object.values(functions).map(([type]) => [type]))),
  ...section(7, list(Object.keys(functions).map((one, index) => name(one).concat(0, index)))),
  ...section(10, list(Object.values(functions).map(([, code]) => sized([0, ...code.flat(2)]))))
])

/** Undefined for a processor without instructions of 16 bytes. */
let compiled: { readonly module: WebAssembly.Module | undefined } | undefined

const instantiate = (memory: WebAssembly.Memory): PacketMover | undefined => {
  compiled ??= { module: WebAssembly.validate(program) ? new WebAssembly.Module(program) : undefined }
  if (compiled.module === undefined) return undefined
  const { exports } = new WebAssembly.Instance(compiled.module, { memory: { linear: memory } })
  return exports as unknown as PacketMover
}

const movers = new WeakMap<WebAssembly.Memory, PacketMover | undefined>()

/** Returns the functions for a block; undefined if the block is no linear memory, or the engine has no such functions. */
export const find = (block: Uint8Array): PacketMover | undefined => {
  const memory = Memory.linearOf(block)
  if (memory === undefined) return undefined
  if (!movers.has(memory)) movers.set(memory, instantiate(memory))
  return movers.get(memory)
}
