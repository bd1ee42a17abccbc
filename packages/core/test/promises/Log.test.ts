import { type LogEntry, open, type OpenOptions } from "@holdfast/core"
import { inMemory } from "@holdfast/testing/InMemory"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"

const key = `hf_${"a".repeat(49)}`

/** Messages of each level, as workers and adapters log them. */
const messages = Effect.gen(function* () {
  yield* Effect.logDebug("debugged", 7)
  yield* Effect.logInfo("found").pipe(Effect.annotateLogs({ path: "/bin/100%", secret: Redacted.make("hunter2") }))
  yield* Effect.logWarning("not sent", { url: `/view?apiKey=${key}`, list: [key], attempts: 2 })
  yield* Effect.logError(`defect with ${key}`, new Error(`refused ${key}`))
})

/** Opens a Holdfast whose metadata adapter logs messages while it is opened. */
const openWith = async (options: Partial<OpenOptions>) => {
  const { metadata, ...others } = inMemory()
  const adapter = { metadata: Layer.merge(metadata.metadata, Layer.effectDiscard(messages)) }
  const holdfast = await open({ ...others, metadata: adapter, ...options })
  onTestFinished(() => holdfast.close())
  return holdfast
}

describe("open, option log", () => {
  afterEach(() => vi.restoreAllMocks())

  /** Returns what is printed, by method of the console. */
  const printed = async (options: Partial<OpenOptions>) => {
    const lines: Array<string> = []
    for (const method of ["log", "debug", "info", "warn", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((_, ...items) => void lines.push(`${method} ${String(items[0])}`))
    }
    await openWith(options)
    return lines.map((line) => line.replace(/\n[^]*/, "…"))
  }

  it("a level → messages of this level and above, by the methods of the console", async () => {
    const error = "error holdfast: defect with hf_***…"
    const warn = "warn holdfast: not sent"
    const info = "info holdfast: found"
    expect(await printed({ log: "off" })).toEqual([])
    expect(await printed({ log: "error" })).toEqual([error])
    expect(await printed({ log: "warn" })).toEqual([warn, error])
    expect(await printed({})).toEqual([warn, error])
    expect(await printed({ log: "info" })).toEqual([info, warn, error])
    expect(await printed({ log: "debug" })).toEqual(["debug holdfast: debugged 7", info, warn, error])
  })

  it("a function → every entry with its fields and errors, without keys and secrets", async () => {
    const entries: Array<LogEntry> = []
    expect(await printed({ log: (entry) => void entries.push(entry) })).toEqual([])
    const at = expect.any(Date)
    expect(entries).toEqual([
      { level: "debug", at, message: "debugged 7", fields: {} },
      { level: "info", at, message: "found", fields: { path: "/bin/100%", secret: "<redacted>" } },
      {
        level: "warn",
        at,
        message: "not sent",
        fields: { url: "/view?apiKey=hf_***", list: ["hf_***"], attempts: 2 }
      },
      {
        level: "error",
        at,
        message: "defect with hf_***",
        fields: {},
        error: expect.stringMatching(/^Error: refused hf_\*\*\*\n +at /)
      }
    ])
  })

  it("a logger that takes objects → gets level, message, fields and errors", async () => {
    const lines: Array<object> = []
    const logger = { log: (line: object) => void lines.push(line) }
    const { metadata, ...others } = inMemory()
    const adapters = {
      ...others,
      metadata: { metadata: Layer.merge(metadata.metadata, Layer.effectDiscard(messages)) }
    }
    await using holdfast = await open({
      ...adapters,
      log: ({ level, message, fields, error }) => logger.log({ ...fields, level, message, error })
    })
    expect(holdfast.system()).toBeDefined()
    expect(lines[1]).toEqual({ level: "info", message: "found", path: "/bin/100%", secret: "<redacted>" })
    expect(lines[3]).toMatchObject({ level: "error", error: expect.stringContaining("refused hf_***") })
  })

  it("messages of workers → the function, too", async () => {
    const entries: Array<LogEntry> = []
    const holdfast = await open({
      ...inMemory(),
      log: (entry) => void entries.push(entry),
      hooks: {
        onUpload: {
          after: () => {
            throw new Error(`index of ${key} is down`)
          }
        }
      }
    })
    onTestFinished(() => holdfast.close())
    const owner = holdfast.account("ada@example.com")
    const { id: tenantId } = await holdfast.tenants.create(owner, { name: "T", subdomain: "acme" })
    const { id: bucketId } = await holdfast.buckets.create(owner, { tenantId, name: "media" })
    await holdfast.files.upload(owner, { tenantId, bucketId, name: "a.txt", content: "text" })
    await expect
      .poll(() => entries, { timeout: 10_000 })
      .toContainEqual(
        expect.objectContaining({
          level: "warn",
          message: "hook after a change failed; it is retried",
          error: expect.stringContaining("index of hf_*** is down")
        })
      )
  })

  it("a function that throws → its error is printed, and the Holdfast works", async () => {
    const log = () => {
      throw new Error("the log is closed")
    }
    const lines = await printed({ log })
    expect(new Set(lines)).toEqual(new Set(["error Error: the log is closed"]))
    expect(lines).toHaveLength(4)
  })
})
