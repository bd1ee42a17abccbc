import { describe, expect, it } from "vitest"
import * as Progress from "../../src/cli/terminal/Progress.ts"

const display = (isTTY: boolean, columns = 120) => {
  const written: Array<string> = []
  return { isTTY, columns, written, write: (text: string) => written.push(text) > 0 }
}

/** A clock that the test advances. */
const clock = () => {
  let time = 0
  return { now: () => time, advance: (milliseconds: number) => (time += milliseconds) }
}

describe("formatBytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [1_500_000, "1.5 MB"],
    [999_999, "1.0 MB"],
    [5e12, "5.0 TB"],
    [5e15, "5000.0 TB"]
  ])("%d → %s", (count, text) => {
    expect(Progress.formatBytes(count)).toBe(text)
  })
})

describe("formatDuration", () => {
  it.each([
    [0, "0:00"],
    [61, "1:01"],
    [3723, "1:02:03"]
  ])("%d seconds → %s", (seconds, text) => {
    expect(Progress.formatDuration(seconds)).toBe(text)
  })
})

describe("Progress on a terminal", () => {
  it("bytes added → one line with bar, bytes, rate and remaining time, redrawn in place", () => {
    const screen = display(true)
    const time = clock()
    const progress = Progress.make("a.bin", 4_000_000, screen, time.now)
    time.advance(1000)
    progress.add(1_000_000)
    expect(screen.written).toEqual([
      "\r\u001B[Ka.bin  [#####---------------]  25%  1.0 MB of 4.0 MB  1.0 MB/s  ETA 0:03"
    ])
    time.advance(3000)
    progress.add(3_000_000)
    progress.finish()
    expect(screen.written.at(-1)).toBe("\r\u001B[Ka.bin  4.0 MB in 0:04  1.0 MB/s\n")
  })

  it("many small additions → at most ten redraws per second", () => {
    const screen = display(true)
    const time = clock()
    const progress = Progress.make("a.bin", 1000, screen, time.now)
    for (let i = 0; i < 1000; i++) {
      time.advance(1)
      progress.add(1)
    }
    expect(screen.written).toHaveLength(10)
  })

  it("narrow terminal → no bar", () => {
    const screen = display(true, 60)
    const time = clock()
    const progress = Progress.make("a.bin", 1000, screen, time.now)
    time.advance(100)
    progress.add(10)
    expect(screen.written).toEqual(["\r\u001B[Ka.bin  1%  10 B of 1.0 kB  100 B/s  ETA 0:10"])
  })
})

describe("Progress elsewhere", () => {
  it("bytes added → a plain line every five seconds", () => {
    const screen = display(false)
    const time = clock()
    const progress = Progress.make("a.bin", 10_000, screen, time.now)
    time.advance(4000)
    progress.add(4000)
    time.advance(1000)
    progress.add(1000)
    expect(screen.written).toEqual(["a.bin  50%  5.0 kB of 10.0 kB  1.0 kB/s  ETA 0:05\n"])
  })

  it("total unknown → bytes and rate only", () => {
    const screen = display(false)
    const time = clock()
    const progress = Progress.make("a.bin", undefined, screen, time.now)
    time.advance(5000)
    progress.add(5000)
    expect(screen.written).toEqual(["a.bin  5.0 kB  1.0 kB/s\n"])
  })

  it("empty file → the summary only", () => {
    const screen = display(false)
    Progress.make("a.bin", 0, screen, clock().now).finish()
    expect(screen.written).toEqual(["a.bin  0 B in 0:00  0 B/s\n"])
  })
})
