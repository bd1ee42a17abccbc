/**
 * Checks the files in `deploy` and the image against the settings and the metrics that exist.
 */
import { assert, describe, it } from "vitest"
import * as SettingTable from "../../packages/http/src/server/config/SettingTable.ts"
import * as SourceFiles from "../checks/SourceFiles.ts"

const variables = new Set<string>(
  Object.values(SettingTable.settings).flatMap(({ variables }): ReadonlyArray<string> => variables)
)

const metrics = new Set(
  [...SourceFiles.listBelow("packages/core/src/metrics"), ...SourceFiles.listBelow("packages/http/src")]
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => SourceFiles.read(path).match(/\b(?:holdfast|http|nodejs|process)_\w+/g) ?? [])
)

/** Returns the metrics in an expression. The series of a histogram have suffixes. */
const metricsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/\b(?:holdfast|http|nodejs|process)_\w+/g) ?? []).map((name) =>
    name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, "")
  )

interface Dashboard {
  readonly panels: ReadonlyArray<{ readonly id: number; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

describe("deploy", () => {
  it.each(["Dockerfile", "compose.yaml", "deploy/systemd/holdfast.service", "deploy/kubernetes/holdfast.yaml"])(
    "%s: names a setting → the service has it",
    (path) => {
      const named = SourceFiles.read(path).match(/\b(?:HOLDFAST_[A-Z0-9_]+|DATABASE_URL)\b/g) ?? []
      assert.isNotEmpty(named)
      // A setting of the scripts of this repository.
      const unknown = named.filter((name) => !variables.has(name) && name !== "HOLDFAST_NO_INSTALL")
      assert.deepStrictEqual(unknown, [])
    }
  )

  it("dashboard: a panel shows a metric → the service has it, and the panels have ids of their own", () => {
    const { panels }: Dashboard = JSON.parse(SourceFiles.read("deploy/grafana/dashboard.json"))
    const named = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)))
    assert.isAbove(named.length, 25)
    assert.deepStrictEqual(
      named.filter((name) => !metrics.has(name)),
      []
    )
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
  })

  it("alerts: the rules for Prometheus → those of the page for operators, on metrics that the service has", () => {
    const [, example = ""] =
      /Examples of alerts:\n\n```yaml\n(.*?)```/s.exec(SourceFiles.read("docs/operating.md")) ?? []
    const rules = SourceFiles.read("deploy/grafana/alerts.yaml")
    assert.strictEqual(rules.slice(rules.indexOf("      - alert")).replace(/^ {6}/gm, ""), example)
    assert.deepStrictEqual(
      metricsIn(rules).filter((name) => !metrics.has(name)),
      []
    )
  })
})
