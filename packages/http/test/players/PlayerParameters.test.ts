import * as FastCheck from "fast-check"
import { expect, it } from "vitest"
import * as PlayerParameters from "../../src/players/PlayerParameters.ts"

const { defaults } = PlayerParameters

const parse = (query: string) => PlayerParameters.parse(new URLSearchParams(query))

it("no parameters → defaults", () => {
  expect(parse("")).toEqual(defaults)
  expect(defaults).toMatchObject({ autoplay: false, controls: true, muted: false })
})

it("all parameters → parsed", () => {
  const query = "controls=false&autoplay=true&muted=1&repeat&width=640&height=360&seek=1m30s&speed=1.5"
  expect(parse(query)).toEqual({
    autoplay: true,
    controls: false,
    height: 360,
    muted: true,
    repeat: true,
    seek: 90,
    speed: 1.5,
    width: 640
  })
})

it.each([
  ["true", true],
  ["TRUE", true],
  ["1", true],
  ["", true],
  ["false", false],
  ["0", false],
  ["yes", undefined],
  ["2", undefined],
  ["null", undefined]
])("flag %j → %s", (text, expected) => {
  for (const name of ["controls", "autoplay", "muted", "repeat"] as const) {
    expect(parse(`${name}=${text}`)[name]).toBe(expected ?? defaults[name])
  }
})

it.each([
  ["90", 90],
  ["90.5", 90.5],
  ["0", 0],
  ["1h2m3s", 3723],
  ["2m", 120],
  ["1h", 3600],
  ["1h3.5s", 3603.5],
  ["45s", 45],
  ["1H2M", 3720],
  ["-5", 0],
  ["1m1h", 0],
  ["", 0],
  ["1e3", 0],
  ["Infinity", 0],
  ["0x10", 0],
  ["1:30", 0],
  ["999999999999", 0]
])("seek %j → %d seconds", (text, expected) => {
  expect(parse(`seek=${text}`).seek).toBe(expected)
})

it.each([
  ["1", 1],
  ["0.5", 0.5],
  [".5", 0.5],
  ["2.", 2],
  ["0", 0.25],
  ["0.1", 0.25],
  ["16", 4],
  ["-1", 1],
  ["fast", 1],
  ["1e2", 1],
  ["NaN", 1],
  ["", 1]
])("speed %j → %d", (text, expected) => {
  expect(parse(`speed=${text}`).speed).toBe(expected)
})

it.each([
  ["640", 640],
  ["1", 1],
  ["7680", 7680],
  ["7681", undefined],
  ["0", undefined],
  ["-1", undefined],
  ["640px", undefined],
  ["100%", undefined],
  ["1.5", undefined],
  ["", undefined]
])("width or height %j → %s", (text, expected) => {
  expect(parse(new URLSearchParams({ width: text, height: text }).toString())).toMatchObject({
    height: expected,
    width: expected
  })
})

it("parameter occurs twice → the first counts", () => {
  expect(parse("seek=1&seek=2").seek).toBe(1)
})

it("any query → valid values", () => {
  const text = FastCheck.oneof(
    FastCheck.string({ unit: "grapheme" }),
    FastCheck.double().map(String),
    FastCheck.nat().map(String)
  )
  const names = Object.keys(defaults)
  const query = FastCheck.array(FastCheck.tuple(FastCheck.constantFrom(...names), text))
  FastCheck.assert(
    FastCheck.property(query, (pairs) => {
      const found = PlayerParameters.parse(new URLSearchParams(pairs))
      for (const name of ["controls", "autoplay", "muted", "repeat"] as const) expect(found[name]).toBeTypeOf("boolean")
      for (const side of [found.width, found.height]) {
        if (side === undefined) continue
        expect(Number.isInteger(side)).toBe(true)
        expect(side).toBeGreaterThan(0)
        expect(side).toBeLessThanOrEqual(PlayerParameters.maxSide)
      }
      expect(Number.isFinite(found.seek)).toBe(true)
      expect(found.seek).toBeGreaterThanOrEqual(0)
      expect(found.speed).toBeGreaterThanOrEqual(PlayerParameters.minSpeed)
      expect(found.speed).toBeLessThanOrEqual(PlayerParameters.maxSpeed)
    })
  )
})

it("seek in seconds or as 1h2m3s → the same number of seconds", () => {
  const seconds = FastCheck.nat({ max: 99_999_999 })
  FastCheck.assert(
    FastCheck.property(seconds, (seek) => {
      expect(parse(`seek=${seek}`).seek).toBe(seek)
    })
  )
  const time = FastCheck.record({ h: FastCheck.nat(9999), m: FastCheck.nat(59), s: FastCheck.nat(59) })
  FastCheck.assert(
    FastCheck.property(time, ({ h, m, s }) => {
      expect(parse(`seek=${h}h${m}m${s}s`).seek).toBe(h * 3600 + m * 60 + s)
    })
  )
})
