import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigFlags from "../../src/server/config/ConfigFlags.ts"
import * as ConfigReference from "../../src/server/config/ConfigReference.ts"
import { settingNames, settings } from "../../src/server/config/SettingTable.ts"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

describe("ConfigReference", () => {
  it("helpText and markdownTable: each variable → named exactly once", () => {
    const variables = [...settingNames.flatMap((name) => [...settings[name].variables]), "HOLDFAST_CONFIG"]
    assert.strictEqual(new Set(variables).size, variables.length)
    for (const text of [ConfigReference.helpText(), ConfigReference.markdownTable()]) {
      for (const variable of variables) {
        assert.strictEqual(text.split(new RegExp(`(?<![A-Z_])${variable}(?![A-Z_])`)).length, 2, variable)
      }
    }
  })

  it("markdownTable: every row → the same number of cells", () => {
    const rows = ConfigReference.markdownTable().trimEnd().split("\n")
    assert.strictEqual(rows.length, settingNames.length + 3)
    assert.deepStrictEqual([...new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))], [7])
    assert.include(
      rows,
      "| `HOLDFAST_PORT` | `--port` | `port` | `8080` | Port to listen on; 0 selects a free port. Expects a port number from 0 to 65535. |"
    )
  })
})

describe("ConfigFlags", () => {
  const parse = (...args: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      let seen: unknown
      const command = Command.make("serve", ConfigFlags.flags, (parsed) =>
        Effect.sync(() => {
          seen = Object.fromEntries(
            Object.entries(ConfigFlags.toOptions(parsed)).filter(([, text]) => text !== undefined)
          )
        })
      )
      yield* Command.runWith(command, { version: "0" })(args)
      return seen
    }).pipe(Effect.provide(NodeServices.layer))

  it.effect("options on the command line → text by setting name", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* parse(), {})
      assert.deepStrictEqual(
        yield* parse(
          "--port",
          "none",
          "--data-dir=/d",
          "--config",
          "c.json",
          "--allow-eternal-tokens",
          "--access-log=off"
        ),
        { port: "none", dataDir: "/d", config: "c.json", allowEternalTokens: "on", accessLog: "off" }
      )
    })
  )

  it("secret setting → no option", () => {
    const secrets = settingNames.filter((name) => settings[name].type.isSecret === true)
    assert.sameMembers(secrets, [
      "databaseUrl",
      "s3SecretAccessKey",
      "azureAccountKey",
      "azureSas",
      "azureConnectionString",
      "gcsCredentials",
      "rootKey",
      "secretKey",
      "formerSecretKeys",
      "otlpHeaders"
    ])
    assert.notIncludeMembers(Object.keys(ConfigFlags.flags), secrets)
    assert.sameMembers(Object.keys(ConfigFlags.flags), [
      ...settingNames.filter((name) => !secrets.includes(name)),
      "config"
    ])
  })
})
