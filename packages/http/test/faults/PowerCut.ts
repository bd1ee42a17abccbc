/**
 * The files that a disk may have after the power failed: what was synced, and any part of what was not.
 *
 * A write that was not synced may be stored, lost, or stored in part, by sectors and in any order. Names are stored in the order in
 * which they changed, as by a journal, at least up to the last sync of their directory.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Call } from "./SyscallTrace.ts"

const sectorBytes = 512

type Change = Extract<Call, { kind: "write" | "truncate" }>
type Naming = Extract<Call, { kind: "create" | "mkdir" | "remove" | "rename" | "link" }>

/** The bytes of a file, in a buffer that may be larger. */
interface Content {
  buffer: Buffer
  length: number
}

/** A file, or a directory when it has no content. */
interface Inode {
  content: Content | undefined
  /** In the order in which they began. */
  pending: Array<Change>
}

type Names = Map<string, Inode>

const chance = (probability: number): boolean => Math.random() < probability

const contentOf = (buffer: Buffer): Content => ({ buffer, length: buffer.length })

const resize = (content: Content, length: number): void => {
  if (length > content.buffer.length) {
    content.buffer = Buffer.concat([content.buffer], 2 * length)
  }
  // What a longer file would have shown there.
  content.buffer.fill(0, Math.min(length, content.length), Math.max(length, content.length))
  content.length = length
}

/** Stores a part of a change. */
const apply = (content: Content, change: Change, isStored: () => boolean): void => {
  if (change.kind === "truncate") {
    if (isStored()) resize(content, change.length)
    return
  }
  for (let from = 0; from < change.bytes.length; from += sectorBytes) {
    if (!isStored()) continue
    const sector = change.bytes.subarray(from, from + sectorBytes)
    const end = change.offset + from + sector.length
    if (content.length < end) resize(content, end)
    sector.copy(content.buffer, change.offset + from)
  }
}

/** Decides for one change what of it is stored: everything, nothing, or each sector by chance. */
const anyPart = (): (() => boolean) => {
  const kind = Math.random()
  return kind < 0.35 ? () => true : kind < 0.7 ? () => false : () => chance(0.5)
}

const rename = (names: Names, call: Naming, inode: Inode): void => {
  switch (call.kind) {
    case "create":
      if (!names.has(call.path)) names.set(call.path, inode)
      return
    case "mkdir":
      names.set(call.path, inode)
      return
    case "remove":
      names.delete(call.path)
      return
    case "rename":
      names.delete(call.path)
      names.set(call.to, inode)
      return
    case "link":
      names.set(call.to, inode)
  }
}

const readNames = (directory: string, base: string): Names => {
  const names: Names = new Map()
  for (const entry of Fs.readdirSync(base, { recursive: true, withFileTypes: true })) {
    const path = Path.join(entry.parentPath, entry.name)
    names.set(Path.join(directory, Path.relative(base, path)), {
      content: entry.isFile() ? contentOf(Fs.readFileSync(path)) : undefined,
      pending: []
    })
  }
  return names
}

export interface Options {
  /** The directory of the calls. */
  readonly directory: string
  /** A copy of the directory before the first call, all of which is durable. */
  readonly base: string
  readonly calls: ReadonlyArray<Call>
  /** When the power failed, in milliseconds since the epoch. */
  readonly at: number
}

/** Writes what a disk may have had at that moment to a directory. */
export const restore = ({ at, base, calls, directory }: Options, to: string): void => {
  const names = readNames(directory, base)
  const stored: Names = new Map(names)
  const changes: Array<{ readonly call: Naming; readonly inode: Inode; isSynced: boolean }> = []

  for (const call of calls) {
    if (call.start > at) break
    if (call.kind === "sync") {
      // A sync that had not returned has promised nothing.
      if (call.end > at) continue
      const inode = names.get(call.path)
      if (inode?.content !== undefined) {
        for (const change of inode.pending) {
          if (change.end <= call.start) apply(inode.content, change, () => true)
        }
        inode.pending = inode.pending.filter(({ end }) => end > call.start)
      }
      for (const change of changes) {
        const paths = "to" in change.call ? [change.call.path, change.call.to] : [change.call.path]
        if (change.call.end <= call.start && paths.some((path) => Path.dirname(path) === call.path))
          change.isSynced = true
      }
    } else if (call.kind === "write" || call.kind === "truncate") names.get(call.path)?.pending.push(call)
    else {
      const inode = names.get(call.path) ?? {
        content: call.kind === "mkdir" ? undefined : contentOf(Buffer.alloc(0)),
        pending: []
      }
      if (call.kind === "create" && call.truncates && names.has(call.path)) {
        inode.pending.push({ ...call, kind: "truncate", length: 0 })
      }
      rename(names, call, inode)
      changes.push({ call, inode, isSynced: false })
    }
  }

  const least = changes.findLastIndex(({ isSynced }) => isSynced) + 1
  const count = least + Math.floor(Math.random() * (changes.length - least + 1))
  for (const { call, inode } of changes.slice(0, count)) rename(stored, call, inode)

  Fs.mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const [path, { content, pending }] of [...stored].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const target = Path.join(to, Path.relative(directory, path))
    if (content === undefined) Fs.mkdirSync(target, { recursive: true, mode: 0o700 })
    else {
      for (const change of pending) apply(content, change, anyPart())
      Fs.mkdirSync(Path.dirname(target), { recursive: true, mode: 0o700 })
      Fs.writeFileSync(target, content.buffer.subarray(0, content.length), { mode: 0o600 })
    }
  }
}
