/**
 * JSON texts that cost a careless service much time or memory, each of at most 1 MiB.
 */

/** The largest body of a JSON operation, in bytes. */
export const maxBytes = 1024 * 1024

const repeat = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))

const members = (count: number, nameOf: (index: number) => string): string =>
  `{${Array.from({ length: count }, (_, index) => `${JSON.stringify(nameOf(index))}:0`).join(",")}}`

type Make<A> = (bytes: number) => A

/** Makes a text once: thousands of requests have it, and it takes some 10 ms. */
const once = (make: () => string): Make<string> => {
  let made: string | undefined
  return () => (made ??= make())
}

/** Values of a field, as JSON of at most this many bytes, by their kind. */
export const values: Readonly<Record<string, Make<string>>> = {
  null: () => "null",
  boolean: () => "true",
  number: () => "-1.5e308",
  longNumber: (bytes) => repeat("1", bytes),
  emptyText: () => '""',
  longText: (bytes) => `"${repeat("x", bytes - 2)}"`,
  longUnicode: (bytes) => `"${repeat("\u{1f600}", bytes - 4)}"`,
  controls: () => '"a\\u0000b"',
  escapes: (bytes) => `"${repeat("\\u0061", bytes - 2)}"`,
  loneSurrogates: (bytes) => `"${repeat("\\ud800", bytes - 2)}"`,
  combiningMarks: (bytes) => `"a${repeat("\u0315\u0300", bytes - 4)}"`,
  spaces: (bytes) => `"${repeat(" ", bytes - 2)}"`,
  emptyArray: () => "[]",
  emptyObjects: (bytes) => `[${repeat("{},", Math.min(bytes, 24_000))}{}]`,
  manyObjects: (bytes) => `[${repeat("{},", bytes - 10)}{}]`,
  deepArrays: () => `${"[".repeat(50)}${"]".repeat(50)}`,
  deeperArrays: (bytes) => `${repeat("[", bytes / 2)}${repeat("]", bytes / 2)}`,
  members: once(() => members(4000, (index) => `m${index}`)),
  integerMembers: once(() => members(4000, (index) => String(index * 2 ** 20))),
  longMembers: (bytes) => members(1500, (index) => `${index}${repeat("x", Math.min(bytes / 1600, 600))}`),
  manyMembers: once(() => members(60_000, (index) => `m${index}`))
}

/** Bodies that are not objects with the fields of an operation, or not JSON at all, by their kind. */
export const bodies: Readonly<Record<string, Make<string | Uint8Array<ArrayBuffer>>>> = {
  ...values,
  empty: () => "",
  unclosed: (bytes) => `{"name":"${repeat("x", bytes - 10)}`,
  unopened: (bytes) => repeat("}", bytes),
  commas: (bytes) => `[${repeat(",", bytes - 1)}`,
  backslashes: (bytes) => `"${repeat("\\\\", bytes - 2)}`,
  duplicates: (bytes) => `{${repeat('"a":{},', bytes - 20)}"a":1}`,
  fewDuplicates: () => `{${'"name":{},'.repeat(4000)}"name":1}`,
  invalidUtf8: (bytes) => new Uint8Array(bytes).fill(0xff),
  truncatedUtf8: () =>
    Uint8Array.from(Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xf0, 0x9f]), Buffer.from('"}')])),
  byteOrderMark: () => '\ufeff{"name":"a"}'
}
