import { assert, describe, it } from "@effect/vitest"
import * as PlayerHeaders from "../../src/players/PlayerHeaders.ts"
import * as SettingType from "../../src/server/config/SettingType.ts"
import * as SecretTypes from "../../src/server/config/SecretTypes.ts"
import * as WebTypes from "../../src/server/config/WebTypes.ts"
import { settingNames, settings } from "../../src/server/config/SettingTable.ts"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Parses each text; undefined for a text that the type does not accept. */
const parse = <A>(type: SettingType.SettingType<A>, ...texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Effect.map(type.parse(text), Option.getOrUndefined)).pipe(
    Effect.provide(Digest.layerWebCrypto)
  )

/** Asserts that the type accepts none of the texts. */
const expectRefused = <A>(type: SettingType.SettingType<A>, ...texts: ReadonlyArray<string>) =>
  Effect.map(parse(type, ...texts), (values) => {
    assert.deepStrictEqual(
      texts.filter((_, i) => values[i] !== undefined),
      []
    )
  })

describe("SettingType", () => {
  it.effect("rate: requests and a duration, or off → accepted; anything else refused", () =>
    Effect.gen(function* () {
      const values = yield* parse(SettingType.rate, "600/1m", "1 / 24h", "OFF")
      assert.deepStrictEqual(values, [
        { requests: 600, window: Duration.minutes(1) },
        { requests: 1, window: Duration.days(1) },
        "off"
      ])
      yield* expectRefused(SettingType.rate, "", "600", "0/1m", "600/0", "600/25h", "1.5/1m", "-1/1m", "600/m", "none")
    })
  )

  it.effect("bytes: plain numbers and units of 1000 and 1024 → number of bytes; anything else refused", () =>
    Effect.gen(function* () {
      const values = yield* parse(
        SettingType.bytes,
        "1",
        "1048576",
        "10B",
        "500MB",
        "5GiB",
        "1.5 kib",
        "2kB",
        "9007199254740991"
      )
      assert.deepStrictEqual(values, [
        1,
        1_048_576,
        10,
        500_000_000,
        5 * 1024 ** 3,
        1536,
        2000,
        Number.MAX_SAFE_INTEGER
      ])
      yield* expectRefused(
        SettingType.bytes,
        "",
        "0",
        "-1",
        "1.5",
        "5G",
        "five",
        "1e9",
        "0x10",
        "9007199254740992",
        "100PiB GiB",
        "8192PiB"
      )
    })
  )

  it.effect("duration: within both bounds → milliseconds; outside or malformed refused", () =>
    Effect.gen(function* () {
      const type = SettingType.duration("500ms", "2h")
      const values = yield* parse(type, "500ms", "1.5s", "90 s", "5m", "1h30m", "2h")
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Duration.toMillis(value))),
        [500, 1500, 90_000, 300_000, 5_400_000, 7_200_000]
      )
      yield* expectRefused(type, "", "0", "30", "499ms", "2h1ms", "-1s", "s", "1y", "1m 2", "Infinity")
    })
  )

  it.effect("durationOrMilliseconds: a number without a unit → milliseconds; above the bound refused", () =>
    Effect.gen(function* () {
      const { type } = settings.accessCache
      const values = yield* parse(type, "0", "250", "1000", "1s")
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Duration.toMillis(value))),
        [0, 250, 1000, 1000]
      )
      yield* expectRefused(type, "1001", "2s", "1.5")
    })
  )

  it.effect("onOff, logLevel and port: words in any case and numbers in bounds → values; anything else refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parse(SettingType.onOff, "on", "TRUE", "1", "yes", "off", "False", "0", "no"), [
        ...Array.from({ length: 4 }, () => true),
        ...Array.from({ length: 4 }, () => false)
      ])
      yield* expectRefused(SettingType.onOff, "", "constructor", "2", "maybe")
      assert.deepStrictEqual(yield* parse(SettingType.logLevel, "warn", "TRACE", "none"), ["Warn", "Trace", "None"])
      yield* expectRefused(SettingType.logLevel, "all", "warning", "toString")
      assert.deepStrictEqual(yield* parse(settings.port.type, "0", "65535"), [0, 65_535])
      yield* expectRefused(settings.port.type, "", "-1", "65536", "80a", "1e3", "8080.0")
    })
  )

  it.effect("host, path and email: valid → as written; malformed refused", () =>
    Effect.gen(function* () {
      const hosts = ["127.0.0.1", "::", "fe80::1%eth0", "files.example.com"]
      assert.deepStrictEqual(yield* parse(SettingType.host, ...hosts), hosts)
      yield* expectRefused(SettingType.host, "", "a b", "http://x", "a/b")
      yield* expectRefused(SettingType.path, "", "a\0b")
      assert.deepStrictEqual(yield* parse(SettingType.email, "root@localhost"), ["root@localhost"])
      yield* expectRefused(SettingType.email, "", "root")
    })
  )

  it.effect("baseUrl and origins: http and https → normalized; other parts of a URL refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parse(WebTypes.baseUrl, "https://A.example:443/", "http://a/files/"), [
        "https://a.example",
        "http://a/files"
      ])
      yield* expectRefused(
        WebTypes.baseUrl,
        "",
        "a.example",
        "ftp://a",
        "https://u:p@a",
        "https://a?b",
        "https://a#c",
        "https://"
      )
      assert.deepStrictEqual(yield* parse(WebTypes.origins, "", "*", " https://a.example , http://b:81"), [
        [],
        ["*"],
        ["https://a.example", "http://b:81"]
      ])
      yield* expectRefused(
        WebTypes.origins,
        "a.example",
        "https://a.example/",
        "https://a/b",
        "https://a,,https://b",
        "null"
      )
    })
  )

  it.effect("frameAncestors: sources separated by commas or spaces → the value that the page's header has", () =>
    Effect.gen(function* () {
      const both = ["'self'", "https://*.example.com"]
      assert.deepStrictEqual(
        yield* parse(WebTypes.frameAncestors, both.join(","), both.join(" , "), both.join("  "), "*", "'none'"),
        [both, both, both, ["*"], ["'none'"]]
      )
      yield* expectRefused(
        WebTypes.frameAncestors,
        "",
        ",",
        "'self',,https:",
        "'self'; script-src *",
        "'none' 'self'",
        "'unsafe-inline'",
        "https://[::1]"
      )
      const texts = ["* 'self'", "http: a.example:*/b", "A.example"]
      const written = (yield* parse(WebTypes.frameAncestors, ...texts)).map((sources = []) => sources.join(" "))
      assert.deepStrictEqual(written, texts)
      for (const text of written) {
        assert.include(PlayerHeaders.of(text)["content-security-policy"], `; frame-ancestors ${text};`)
      }
    })
  )

  it.effect("databaseUrl: postgres and postgresql URLs → redacted; other URLs refused", () =>
    Effect.gen(function* () {
      const texts = ["postgres://h/db", "postgresql://u:p@h:5432/db?sslmode=require"]
      const values = yield* parse(SecretTypes.databaseUrl, ...texts)
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Redacted.value(value))),
        texts
      )
      yield* expectRefused(
        SecretTypes.databaseUrl,
        "",
        "mysql://h/db",
        "h:5432/db",
        "postgres://h:99999/db",
        "file:///db"
      )
    })
  )

  it.effect("every setting: default text → accepted by its type", () =>
    Effect.forEach(settingNames, (name) => {
      const { defaultText, terminalDefaultText, type } = {
        defaultText: undefined,
        terminalDefaultText: undefined,
        ...settings[name]
      }
      const texts = [defaultText, terminalDefaultText].filter((text) => text !== undefined)
      return Effect.map(parse<unknown>(type, ...texts), (values) => {
        assert.strictEqual(values.filter((value) => value === undefined).length, 0, name)
      })
    })
  )
})
