import { assert, describe, it } from "@effect/vitest"
import * as PlayerHeaders from "@holdfast/http/players/PlayerHeaders"
import * as ConfigKind from "@holdfast/http/server/config/ConfigKind"
import * as ConfigSecret from "@holdfast/http/server/config/ConfigSecret"
import * as ConfigWeb from "@holdfast/http/server/config/ConfigWeb"
import { names, settings } from "@holdfast/http/server/config/ConfigSettings"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** What a kind reads from each text; undefined where it does not accept the text. */
const read = <A>(kind: ConfigKind.Kind<A>, ...texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Effect.map(kind.read(text), Option.getOrUndefined)).pipe(
    Effect.provide(Digest.layerWebCrypto)
  )

const refuses = <A>(kind: ConfigKind.Kind<A>, ...texts: ReadonlyArray<string>) =>
  Effect.map(read(kind, ...texts), (values) => {
    assert.deepStrictEqual(
      texts.filter((_, i) => values[i] !== undefined),
      []
    )
  })

describe("ConfigKind", () => {
  it.effect("reads bytes, plain and with units of 1000 and 1024", () =>
    Effect.gen(function* () {
      const values = yield* read(
        ConfigKind.bytes,
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
      yield* refuses(
        ConfigKind.bytes,
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

  it.effect("reads durations within bounds", () =>
    Effect.gen(function* () {
      const kind = ConfigKind.duration("500ms", "2h")
      const values = yield* read(kind, "500ms", "1.5s", "90 s", "5m", "1h30m", "2h")
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Duration.toMillis(value))),
        [500, 1500, 90_000, 300_000, 5_400_000, 7_200_000]
      )
      yield* refuses(kind, "", "0", "30", "499ms", "2h1ms", "-1s", "s", "1y", "1m 2", "Infinity")
    })
  )

  it.effect("reads a plain number as milliseconds where the setting says so", () =>
    Effect.gen(function* () {
      const { kind } = settings.accessCache
      const values = yield* read(kind, "0", "250", "1000", "1s")
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Duration.toMillis(value))),
        [0, 250, 1000, 1000]
      )
      yield* refuses(kind, "1001", "2s", "1.5")
    })
  )

  it.effect("reads switches, words and numbers whatever their case", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(ConfigKind.onOff, "on", "TRUE", "1", "yes", "off", "False", "0", "no"), [
        ...Array.from({ length: 4 }, () => true),
        ...Array.from({ length: 4 }, () => false)
      ])
      yield* refuses(ConfigKind.onOff, "", "constructor", "2", "maybe")
      assert.deepStrictEqual(yield* read(ConfigKind.logLevel, "warn", "TRACE", "none"), ["Warn", "Trace", "None"])
      yield* refuses(ConfigKind.logLevel, "all", "warning", "toString")
      assert.deepStrictEqual(yield* read(settings.port.kind, "0", "65535"), [0, 65_535])
      yield* refuses(settings.port.kind, "", "-1", "65536", "80a", "1e3", "8080.0")
    })
  )

  it.effect("reads hosts, paths and e-mail addresses", () =>
    Effect.gen(function* () {
      const hosts = ["127.0.0.1", "::", "fe80::1%eth0", "files.example.com"]
      assert.deepStrictEqual(yield* read(ConfigKind.host, ...hosts), hosts)
      yield* refuses(ConfigKind.host, "", "a b", "http://x", "a/b")
      yield* refuses(ConfigKind.path, "", "a\0b")
      assert.deepStrictEqual(yield* read(ConfigKind.email, "root@localhost"), ["root@localhost"])
      yield* refuses(ConfigKind.email, "", "root")
    })
  )

  it.effect("reads addresses and origins of the web", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(ConfigWeb.address, "https://A.example:443/", "http://a/files/"), [
        "https://a.example",
        "http://a/files"
      ])
      yield* refuses(
        ConfigWeb.address,
        "",
        "a.example",
        "ftp://a",
        "https://u:p@a",
        "https://a?b",
        "https://a#c",
        "https://"
      )
      assert.deepStrictEqual(yield* read(ConfigWeb.origins, "", "*", " https://a.example , http://b:81"), [
        [],
        ["*"],
        ["https://a.example", "http://b:81"]
      ])
      yield* refuses(
        ConfigWeb.origins,
        "a.example",
        "https://a.example/",
        "https://a/b",
        "https://a,,https://b",
        "null"
      )
    })
  )

  it.effect("reads who may show a player, as the header of its page has it", () =>
    Effect.gen(function* () {
      const both = ["'self'", "https://*.example.com"]
      assert.deepStrictEqual(
        yield* read(ConfigWeb.ancestors, both.join(","), both.join(" , "), both.join("  "), "*", "'none'"),
        [both, both, both, ["*"], ["'none'"]]
      )
      yield* refuses(
        ConfigWeb.ancestors,
        "",
        ",",
        "'self',,https:",
        "'self'; script-src *",
        "'none' 'self'",
        "'unsafe-inline'",
        "https://[::1]"
      )
      const texts = ["* 'self'", "http: a.example:*/b", "A.example"]
      const written = (yield* read(ConfigWeb.ancestors, ...texts)).map((sources = []) => sources.join(" "))
      assert.deepStrictEqual(written, texts)
      for (const text of written) {
        assert.include(PlayerHeaders.of(text)["content-security-policy"], `; frame-ancestors ${text};`)
      }
    })
  )

  it.effect("reads addresses of PostgreSQL only", () =>
    Effect.gen(function* () {
      const texts = ["postgres://h/db", "postgresql://u:p@h:5432/db?sslmode=require"]
      const values = yield* read(ConfigSecret.databaseUrl, ...texts)
      assert.deepStrictEqual(
        values.map((value) => (value === undefined ? undefined : Redacted.value(value))),
        texts
      )
      yield* refuses(ConfigSecret.databaseUrl, "", "mysql://h/db", "h:5432/db", "postgres://h:99999/db", "file:///db")
    })
  )

  it.effect("accepts the default of every setting", () =>
    Effect.forEach(names, (name) => {
      const { fallback, fallbackAtTerminal, kind } = {
        fallbackAtTerminal: undefined,
        fallback: undefined,
        ...settings[name]
      }
      const texts = [fallback, fallbackAtTerminal].filter((text) => text !== undefined)
      return Effect.map(read<unknown>(kind, ...texts), (values) => {
        assert.strictEqual(values.filter((value) => value === undefined).length, 0, name)
      })
    })
  )
})
