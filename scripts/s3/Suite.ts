/**
 * Runs a checkout of ceph/s3-tests against a service of this repository, and reads the results.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** What a test did: `passed`, `failed` or `skipped`. */
export type Outcome = string

interface Service {
  readonly url: string
  readonly rootKey: string
  readonly stop: () => Promise<void>
}

interface User {
  readonly tenantId: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const host = "localhost"

/** Not the first region of Amazon S3, whose name no answer has. */
const region = "eu-central-1"

const main = fileURLToPath(new URL("../../packages/http/src/main.ts", import.meta.url))

/** The native extension of the client refuses requests that the suite sends to see how the service answers. */
const client = { BOTO_DISABLE_CRT: "true" }

/** Starts a service with its data below a directory. */
const start = (directory: string): Promise<Service> =>
  new Promise((resolve, reject) => {
    const rootKey = execFileSync(process.execPath, [main, "keys", "generate"], { encoding: "utf8" }).trim()
    const child = spawn(process.execPath, [main, "serve"], {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: directory,
        HOLDFAST_PORT: "0",
        HOLDFAST_DATA_DIR: Path.join(directory, "data"),
        HOLDFAST_ROOT_KEY: rootKey,
        HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64"),
        HOLDFAST_LOG_LEVEL: "info",
        // Tests present keys that are not valid, from one address.
        HOLDFAST_RATE_FAILED_AUTHENTICATION: "1000000/1s",
        // The suite's clients have no path before the bucket, so that the whole host name is that of the S3 API.
        HOLDFAST_S3_HOST: host,
        HOLDFAST_S3_API_REGION: region
      }
    })
    let output = ""
    const log = Fs.createWriteStream(Path.join(directory, "service.log"))
    const stopped = new Promise<void>((ended) => child.once("exit", () => ended()))
    const stop = () => {
      child.kill()
      return stopped
    }
    const read = (data: Buffer): void => {
      log.write(data)
      if (output.length > 100_000) return
      output += data.toString()
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
      if (match !== null) resolve({ url: match[0], rootKey, stop })
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("exit", () => reject(new Error(`the service ended:\n${output}`)))
  })

const post = async <A>({ rootKey, url }: Service, path: string, input?: unknown): Promise<A> => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { "x-api-key": rootKey, ...(input === undefined ? {} : { "content-type": "application/json" }) },
    ...(input === undefined ? {} : { body: JSON.stringify(input) })
  })
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as A
}

/** Creates an administrator of a tenant with S3 credentials. */
const makeUser = async (service: Service, tenantId: string, name: string): Promise<User> => {
  const member = await post<{ id: string }>(service, `/tenants/${tenantId}/members`, {
    user: { email: `${name}@example.com` },
    role: { name: "Admin" }
  })
  const expiresAt = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const input = { name, member: { id: member.id }, expiresAt }
  const token = await post<{ id: string }>(service, `/tenants/${tenantId}/tokens`, input)
  return {
    tenantId,
    ...(await post<Omit<User, "tenantId">>(service, `/tenants/${tenantId}/tokens/${token.id}/s3-credentials`))
  }
}

const section = (name: string, user: User, more: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  `[${name}]`,
  `display_name = ${user.tenantId}`,
  `user_id = ${user.tenantId}`,
  `email = ${name.replaceAll(" ", "-")}@example.com`,
  `api_name = ${region}`,
  `access_key = ${user.accessKeyId}`,
  `secret_key = ${user.secretAccessKey}`,
  ...more
]

/** Returns the configuration of the suite. It requires sections for services that Holdfast does not have. */
const configuration = (url: URL, users: { readonly main: User; readonly alt: User; readonly tenant: User }): string =>
  [
    "[DEFAULT]",
    `host = ${host}`,
    `port = ${url.port}`,
    "is_secure = False",
    "ssl_verify = False",
    "[fixtures]",
    "bucket prefix = holdfast-{random}-",
    "iam name prefix = s3-tests-",
    "iam path prefix = /s3-tests/",
    ...section("s3 main", users.main),
    ...section("s3 alt", users.alt),
    ...section("s3 tenant", users.tenant, ["tenant = other"]),
    ...["iam", "iam root", "iam alt root"].flatMap((name) =>
      section(name, { tenantId: "none", accessKeyId: "none", secretAccessKey: "none" })
    )
  ].join("\n")

/** Reads the report of pytest in the format of JUnit. Returns the outcome of each test by its name. */
const readReport = (report: string): ReadonlyMap<string, Outcome> => {
  const outcomes = new Map<string, Outcome>()
  for (const [, attributes = "", content = ""] of report.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)) {
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1] ?? ""
    const outcome = /<(?:failure|error)\b/.test(content) ? "failed" : /<skipped\b/.test(content) ? "skipped" : "passed"
    // A test whose clean-up fails is listed twice.
    if (outcomes.get(name) !== "failed") outcomes.set(name, outcome)
  }
  return outcomes
}

/** Runs tests of the suite against a new service. Returns the outcomes by the names of the tests. */
export const run = async (
  suite: string,
  directory: string,
  tests: ReadonlyArray<string>
): Promise<ReadonlyMap<string, Outcome>> => {
  const service = await start(directory)
  try {
    const tenant = await post<{ id: string }>(service, "/tenants", { name: "main", subdomain: "main" })
    const other = await post<{ id: string }>(service, "/tenants", { name: "other", subdomain: "other" })
    const users = {
      main: await makeUser(service, tenant.id, "main"),
      alt: await makeUser(service, tenant.id, "alt"),
      tenant: await makeUser(service, other.id, "tenant")
    }
    const config = Path.join(directory, "s3tests.conf")
    const report = Path.join(directory, "report.xml")
    Fs.writeFileSync(config, configuration(new URL(service.url), users))
    const python = process.env["PYTHON"] ?? "python3"
    const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", `--junitxml=${report}`, ...tests]
    await new Promise<void>((resolve) => {
      execFile(
        python,
        args,
        {
          cwd: suite,
          env: { ...process.env, ...client, S3TEST_CONF: config, PYTHONDONTWRITEBYTECODE: "1" },
          maxBuffer: 1e9
        },
        (_, stdout, stderr) => {
          Fs.writeFileSync(Path.join(directory, "pytest.log"), stdout + stderr)
          resolve()
        }
      )
    })
    return Fs.existsSync(report) ? readReport(Fs.readFileSync(report, "utf8")) : new Map()
  } finally {
    await service.stop()
  }
}
