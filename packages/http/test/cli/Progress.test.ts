import { describe, expect, it } from "vitest"
import * as Progress from "../../src/cli/remote/Progress.ts"

const display = (isTTY: boolean, columns = 120) => {
  const written: Array<string> = []
  return { isTTY, columns, written, write: (text: string) => written.push(text) > 0 }
}

/** A clock that a test moves. */
const clock = () => {
  let time = 0
  return { now: () => time, pass: (milliseconds: number) => (time += milliseconds) }
}

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [1_500_000, "1.5 MB"],
    [999_999, "1.0 MB"],
    [5e12, "5.0 TB"],
    [5e15, "5000.0 TB"]
  ])("writes %d as %s", (count, text) => {
    expect(Progress.bytes(count)).toBe(text)
  })
})

describe("duration", () => {
  it.each([
    [0, "0:00"],
    [61, "1:01"],
    [3723, "1:02:03"]
  ])("writes %d seconds as %s", (seconds, text) => {
    expect(Progress.duration(seconds)).toBe(text)
  })
})

describe("on a terminal", () => {
  it("draws a bar with bytes, rate and the time that is left, over itself", () => {
    const screen = display(true)
    const time = clock()
    const progress = Progress.make("a.bin", 4_000_000, screen, time.now)
    time.pass(1000)
    progress.add(1_000_000)
    expect(screen.written).toEqual([
      "\r\u001B[Ka.bin  [#####---------------]  25%  1.0 MB of 4.0 MB  1.0 MB/s  ETA 0:03"
    ])
    time.pass(3000)
    progress.add(3_000_000)
    progress.finish()
    expect(screen.written.at(-1)).toBe("\r\u001B[Ka.bin  4.0 MB in 0:04  1.0 MB/s\n")
  })

  it("draws ten times a second at the most", () => {
    const screen = display(true)
    const time = clock()
    const progress = Progress.make("a.bin", 1000, screen, time.now)
    for (let i = 0; i < 1000; i++) {
      time.pass(1)
      progress.add(1)
    }
    expect(screen.written).toHaveLength(10)
  })

  it("leaves the bar out where there is no room for it", () => {
    const screen = display(true, 60)
    const time = clock()
    const progress = Progress.make("a.bin", 1000, screen, time.now)
    time.pass(100)
    progress.add(10)
    expect(screen.written).toEqual(["\r\u001B[Ka.bin  1%  10 B of 1.0 kB  100 B/s  ETA 0:10"])
  })
})

describe("elsewhere", () => {
  it("writes a plain line every few seconds", () => {
    const screen = display(false)
    const time = clock()
    const progress = Progress.make("a.bin", 10_000, screen, time.now)
    time.pass(4000)
    progress.add(4000)
    time.pass(1000)
    progress.add(1000)
    expect(screen.written).toEqual(["a.bin  50%  5.0 kB of 10.0 kB  1.0 kB/s  ETA 0:05\n"])
  })

  it("does without a total", () => {
    const screen = display(false)
    const time = clock()
    const progress = Progress.make("a.bin", undefined, screen, time.now)
    time.pass(5000)
    progress.add(5000)
    expect(screen.written).toEqual(["a.bin  5.0 kB  1.0 kB/s\n"])
  })

  it("is done with an empty file at once", () => {
    const screen = display(false)
    Progress.make("a.bin", 0, screen, clock().now).finish()
    expect(screen.written).toEqual(["a.bin  0 B in 0:00  0 B/s\n"])
  })
})
