import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as ApiKey from "@holdfast/core/access/ApiKey"
import * as Config from "../../src/server/config/Config.ts"
import type { ConfigError } from "../../src/server/config/ConfigError.ts"
import { settingNames, settings } from "../../src/server/config/SettingTable.ts"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const services = Layer.mergeAll(NodeFileSystem.layer, Digest.layerWebCrypto, SecureRandom.layerWebCrypto)

const load = (environment: Config.Sources["environment"] = {}, more: Omit<Config.Sources, "environment"> = {}) =>
  Effect.provide(Config.load({ environment, ...more }), services)

const linesOf = (effect: Effect.Effect<Config.Config, ConfigError>) =>
  Effect.map(Effect.flip(effect), (error) => error.render().split("\n"))

/** Returns the single line that a wrong value produces. */
const lineOf = (variable: string, text: string) =>
  Effect.map(linesOf(load({ [variable]: text })), (lines) => {
    assert.strictEqual(lines.length, 1)
    return lines[0] ?? ""
  })

const withFile = <A, E>(text: string, use: (path: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fileSystem = yield* FileSystem.FileSystem
    const path = yield* fileSystem.makeTempFileScoped({ suffix: ".json" })
    yield* fileSystem.writeFileString(path, text)
    return yield* use(path)
  }).pipe(Effect.scoped, Effect.provide(services))

const key32 = Buffer.alloc(32, 251)

describe("Config", () => {
  it.effect("nothing set → the default of each setting that has one", () =>
    Effect.gen(function* () {
      const config = yield* load()
      assert.deepStrictEqual(
        {
          ...config,
          ...Object.fromEntries(
            Object.entries(config)
              .filter(([, value]) => Duration.isDuration(value))
              .map(([name, value]) => [name, String(value)])
          )
        },
        {
          host: "127.0.0.1",
          port: 8080,
          operatorHost: "127.0.0.1",
          dataDir: "./data",
          databasePool: 10,
          databasePrepare: true,
          databaseTimeout: "10000 millis",
          blobs: "fs",
          s3Path: "/s3",
          s3ApiRegion: "us-east-1",
          s3Region: "us-east-1",
          s3ForcePathStyle: false,
          blobGrace: "300000 millis",
          eventRetention: "7776000000 millis",
          sweepInterval: "60000 millis",
          scrubPeriod: "2592000000 millis",
          scrubRate: 16 * 1024 * 1024,
          rootEmail: "root@localhost",
          formerSecretKeys: [],
          tokensMayCreateTenants: false,
          allowEternalTokens: false,
          tokenLifetime: "31622400000 millis",
          accessCache: "1000 millis",
          maxUploadBytes: 5 * 1024 ** 4,
          uploadExpiry: "86400000 millis",
          corsOrigins: [],
          frameAncestors: ["*"],
          idleTimeout: "60000 millis",
          minRate: 1024,
          minRateWindow: "60000 millis",
          maxConnections: 10_000,
          maxConnectionsPerAddress: 512,
          maxWaitingBytes: 128 * 1024 ** 2,
          rateFailedAuthentication: { requests: 60, window: Duration.minutes(1) },
          publicBuckets: false,
          rateAnonymous: { requests: 3000, window: Duration.minutes(1) },
          rateKey: "off",
          quotaBytes: null,
          quotaFiles: null,
          quotaBuckets: 10_000,
          quotaMembers: 10_000,
          quotaTokens: 10_000,
          quotaTokensPerMember: 1000,
          quotaMirrors: 1000,
          quotaWebhooks: 20,
          quotaShares: 10_000,
          quotaHeadersPerFile: 64,
          quotaConversions: 100,
          rateTenant: "off",
          trustedProxies: [],
          drainDelay: "5000 millis",
          shutdownTimeout: "30000 millis",
          startTimeout: "60000 millis",
          maxClockSkew: "2000 millis",
          ffmpegSandbox: "auto",
          ffmpegUser: { uid: 65_534, gid: 65_534 },
          conversions: 1,
          conversionSlice: "20000 millis",
          conversionThreads: 4,
          conversionNiceness: 10,
          conversionMemory: 4 * 1024 ** 3,
          conversionTimeout: "7200000 millis",
          conversionOutputBytes: 16 * 1024 ** 3,
          videoDuration: "28800000 millis",
          videoPixels: 4096 * 4096,
          videoLines: 1080,
          videoLadders: true,
          videoHevc: false,
          videoAv1: false,
          videoPreset: "veryfast",
          videoPerTitle: false,
          playbackLifetime: "43200000 millis",
          mirrors: 16,
          mirrorsAllowPrivate: false,
          webhooks: 64,
          webhooksAllowPrivate: false,
          workers: 1,
          logLevel: "Info",
          logFormat: "json",
          accessLog: true
        } as unknown
      )
      assert.strictEqual((yield* load({}, { isTerminal: true })).logFormat, "pretty")
    })
  )

  it.effect("set in several sources → options, then environment, then file, then default", () =>
    withFile(JSON.stringify({ host: "h-file", port: 1, logLevel: "warn", databasePool: 3 }), (path) =>
      Effect.gen(function* () {
        const environment = {
          HOLDFAST_HOST: "h-env",
          HOLDFAST_PORT: "2",
          HOLDFAST_LOG_LEVEL: "",
          HOLDFAST_CONFIG: path
        }
        const config = yield* load(environment, { options: { host: "h-option", dataDir: undefined } })
        assert.strictEqual(config.host, "h-option")
        assert.strictEqual(config.port, 2)
        assert.strictEqual(config.logLevel, "Warn")
        assert.strictEqual(config.databasePool, 3)
        assert.strictEqual(config.dataDir, "./data")

        const other = yield* load({ HOLDFAST_CONFIG: "/nowhere" }, { options: { config: path } })
        assert.strictEqual(other.host, "h-file")
      })
    )
  )

  it.effect("file: numbers, booleans and lists as JSON or as strings → values", () =>
    withFile(
      '\uFEFF{ "accessLog": false, "corsOrigins": ["https://a.example", "http://b.example:81"], "port": "0" }',
      (path) =>
        Effect.gen(function* () {
          const config = yield* load({ HOLDFAST_CONFIG: path })
          assert.strictEqual(config.accessLog, false)
          assert.deepStrictEqual(config.corsOrigins, ["https://a.example", "http://b.example:81"])
          assert.strictEqual(config.port, 0)
        })
    )
  )

  it.effect("several faults → one line each with the source, the value and the accepted text", () =>
    withFile('{ "prot": 80, "idleTimeout": "never", "dataDir": null }', (path) =>
      Effect.gen(function* () {
        const lines = yield* linesOf(
          load(
            { HOLDFAST_CONFIG: path, HOLDFAST_PORT: "65536", HOLDFAST_ACCESS_LOG: "may\nbe" },
            { options: { host: "a b" } }
          )
        )
        assert.sameMembers(lines, [
          `prot in ${path}: unknown setting.`,
          `dataDir in ${path}: expected a string, a number, true, false or a list of strings.`,
          '--host on the command line: expected a host name or an IP address; got "a b".',
          'HOLDFAST_PORT in the environment: expected a port number from 0 to 65535; got "65536".',
          `idleTimeout in ${path}: expected a duration from 1s to 24d, such as 500ms, 30s or 5m; got "never".`,
          'HOLDFAST_ACCESS_LOG in the environment: expected on or off (also true or false, yes or no, 1 or 0); got "may\\nbe".'
        ])
      })
    )
  )

  it.effect("HOLDFAST_FRAME_ANCESTORS malformed → refused, since the header would allow no page", () =>
    Effect.gen(function* () {
      const { frameAncestors } = yield* load({ HOLDFAST_FRAME_ANCESTORS: "'self' https://*.example.com:8443" })
      assert.deepStrictEqual(frameAncestors, ["'self'", "https://*.example.com:8443"])
      assert.strictEqual(
        yield* lineOf("HOLDFAST_FRAME_ANCESTORS", "https//a.example"),
        "HOLDFAST_FRAME_ANCESTORS in the environment: expected sources of Content-Security-Policy's frame-ancestors, " +
          "separated by spaces or commas ('self', schemes such as https:, hosts such as example.com or " +
          "https://*.example.com:8443, or * for all), or 'none' alone; got \"https//a.example\"."
      )
      const [empty] = yield* linesOf(load({}, { options: { frameAncestors: "" } }))
      assert.match(empty ?? "", /^--frame-ancestors on the command line: expected sources .*; got ""\.$/)
    })
  )

  it.effect("file not JSON, not an object or missing → its path, without its text", () =>
    Effect.gen(function* () {
      const broken = yield* withFile('{\n  "secretKey": "hunter2"\n  "port": 1\n}', (path) =>
        Effect.map(linesOf(load({ HOLDFAST_CONFIG: path })), ([line]) => (line ?? "").replace(path, "PATH"))
      )
      assert.strictEqual(broken, "PATH: is not valid JSON (line 3 column 3).")
      const list = yield* withFile("[1]", (path) =>
        Effect.map(linesOf(load({ HOLDFAST_CONFIG: path })), ([line]) => line)
      )
      assert.match(list ?? "", /: must contain one JSON object\.$/)
      const [missing] = yield* linesOf(load({ HOLDFAST_CONFIG: "/nowhere/holdfast.json" }))
      assert.match(missing ?? "", /^\/nowhere\/holdfast\.json: cannot be read: /)
    })
  )

  it.effect("secret values → in no message, JSON or string", () =>
    Effect.gen(function* () {
      for (const name of settingNames.filter((name) => settings[name].type.isSecret === true)) {
        const line = yield* lineOf(settings[name].variables[0], "mysql://me:hunter2@host/\0")
        assert.notInclude(line, "hunter2")
        assert.include(line, settings[name].variables[0])
        assert.include(line, "the value is not shown")
      }
      const config = yield* load({
        DATABASE_URL: "postgresql://me:hunter2@host/db",
        HOLDFAST_SECRET_KEY: key32.toString("base64")
      })
      assert.notInclude(JSON.stringify(config) + String(config.databaseUrl), "hunter2")
      assert.notInclude(JSON.stringify(config), "251")
    })
  )

  it.effect("HOLDFAST_ROOT_KEY: correct checksum → accepted; typo refused", () =>
    Effect.gen(function* () {
      const { key } = yield* Effect.provide(ApiKey.mint, services)
      const text = Redacted.value(key)
      const config = yield* load({ HOLDFAST_ROOT_KEY: text })
      assert.strictEqual(config.rootKey === undefined ? undefined : Redacted.value(config.rootKey), text)
      const typo = text.slice(0, 10) + (text[10] === "a" ? "b" : "a") + text.slice(11)
      assert.match(yield* lineOf("HOLDFAST_ROOT_KEY", typo), /expected an account key/)
    })
  )

  it.effect("secret keys: 32 bytes in base64 or base64url → accepted; other lengths refused", () =>
    Effect.gen(function* () {
      const config = yield* load({
        HOLDFAST_SECRET_KEY: key32.toString("base64"),
        HOLDFAST_FORMER_SECRET_KEYS: `${key32.toString("base64url")}, ${Buffer.alloc(32, 1).toString("base64")}`
      })
      assert.deepStrictEqual(
        config.secretKey === undefined ? undefined : Buffer.from(Redacted.value(config.secretKey)),
        key32
      )
      assert.deepStrictEqual(
        config.formerSecretKeys.map((key) => Redacted.value(key)[0]),
        [251, 1]
      )
      assert.match(
        yield* lineOf("HOLDFAST_SECRET_KEY", Buffer.alloc(31).toString("base64")),
        /expected 32 bytes in base64/
      )
      assert.match(yield* lineOf("HOLDFAST_SECRET_KEY", "not base64!"), /expected 32 bytes in base64/)
    })
  )
})
