import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as ConfigFlags from "@holdfast/http/server/config/ConfigFlags"
import * as ConfigReference from "@holdfast/http/server/config/ConfigReference"
import { names, settings } from "@holdfast/http/server/config/ConfigSettings"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"

describe("ConfigReference", () => {
  it("names every variable once in the help and in the reference", () => {
    const variables = [...names.flatMap((name) => [...settings[name].variables]), "HOLDFAST_CONFIG"]
    assert.strictEqual(new Set(variables).size, variables.length)
    for (const text of [ConfigReference.help(), ConfigReference.markdown()]) {
      for (const variable of variables) {
        assert.strictEqual(text.split(new RegExp(`(?<![A-Z_])${variable}(?![A-Z_])`)).length, 2, variable)
      }
    }
  })

  it("is a Markdown table with the same number of cells in every row", () => {
    const rows = ConfigReference.markdown().trimEnd().split("\n")
    assert.strictEqual(rows.length, names.length + 3)
    assert.deepStrictEqual([...new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))], [7])
    assert.include(
      rows,
      "| `HOLDFAST_PORT` | `--port` | `port` | `8080` | Port to listen on; 0 takes a free one. Expects a port number from 0 to 65535. |"
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
            Object.entries(ConfigFlags.options(parsed)).filter(([, text]) => text !== undefined)
          )
        })
      )
      yield* Command.runWith(command, { version: "0" })(args)
      return seen
    }).pipe(Effect.provide(NodeServices.layer))

  it.effect("hands options on as text, by the name of their setting", () =>
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

  it("has no option for a secret", () => {
    const secrets = names.filter((name) => settings[name].kind.isSecret === true)
    assert.sameMembers(secrets, [
      "databaseUrl",
      "s3SecretAccessKey",
      "azureAccountKey",
      "azureSas",
      "azureConnectionString",
      "gcsCredentials",
      "rootKey",
      "secretKey",
      "formerSecretKeys"
    ])
    assert.notIncludeMembers(Object.keys(ConfigFlags.flags), secrets)
    assert.sameMembers(Object.keys(ConfigFlags.flags), [...names.filter((name) => !secrets.includes(name)), "config"])
  })
})
