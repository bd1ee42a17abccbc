/**
 * Programs that speak S3, on a service of its own, and the files that they copy.
 */
import { execFile, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"
import * as Process from "../../support/Process.ts"
import * as ServiceBucket from "../../support/ServiceBucket.ts"
import * as S3Server from "../S3Server.ts"

/** Whether the programs copy as much as users do: `pnpm tools`. */
export const isLarge = process.env["HOLDFAST_TOOLS"] === "all"

/** A test may run for so long, in milliseconds. */
export const timeout = isLarge ? 3_600_000 : 120_000

/** Those that Debian installs, not others of the same name. */
const path = "/usr/bin:/bin:/usr/sbin"

/** Returns why a program of Debian is missing; undefined if it is there. */
export const missing = (name: string): string | undefined =>
  spawnSync("which", [name], { env: { PATH: path } }).status === 0 ? undefined : `${name} is not installed`

/** Returns why the file system of an S3 bucket cannot be mounted; undefined if it can. */
export const missingMounts = (): string | undefined =>
  missing("s3fs") ?? missing("git") ?? (Fs.existsSync("/dev/fuse") ? undefined : "the kernel has no /dev/fuse")

export interface Tools {
  /** A directory of the test. */
  readonly directory: string
  /** A bucket without objects. */
  readonly bucket: string
  /** The host name and the port. All paths there belong to the S3 API. */
  readonly host: string
  readonly credentials: S3Server.Credentials
  /** Runs a program. Returns its standard output; fails if it does. */
  readonly run: (name: string, ...args: ReadonlyArray<string>) => Promise<string>
  /** Runs a step; at full size also prints how long it took. */
  readonly timed: <A>(step: string, run: () => Promise<A>) => Promise<A>
}

/** Starts a service with a bucket, and makes credentials for the programs. */
export const start = async (): Promise<Tools> => {
  const directory = await Process.makeDirectory()
  const env = {
    HOLDFAST_S3_HOST: "localhost",
    HOLDFAST_ACCESS_LOG: "off",
    HOLDFAST_SECRET_KEY: randomBytes(32).toString("base64")
  }
  const { api, service, tenantId } = await ServiceBucket.start({ env })
  const bucket = "files"
  await api.post(`/tenants/${tenantId}/buckets`, { json: { name: bucket } })
  const credentials = await S3Server.makeToken(api, tenantId)
  const host = `localhost:${new URL(service.url).port}`
  const variables = {
    PATH: path,
    HOME: directory,
    LC_ALL: "C.UTF-8",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_EC2_METADATA_DISABLED: "true",
    RCLONE_CONFIG: Path.join(directory, "no.conf"),
    RCLONE_CONFIG_S3_TYPE: "s3",
    RCLONE_CONFIG_S3_PROVIDER: "Other",
    RCLONE_CONFIG_S3_ENV_AUTH: "true",
    RCLONE_CONFIG_S3_REGION: "us-east-1",
    RCLONE_CONFIG_S3_ENDPOINT: `http://${host}`,
    RESTIC_REPOSITORY: `s3:http://${host}/${bucket}`,
    RESTIC_PASSWORD: "secret",
    RESTIC_CACHE_DIR: Path.join(directory, "restic-cache")
  }
  const run: Tools["run"] = async (name, ...args) => {
    const { stdout } = await promisify(execFile)(name, args, { cwd: directory, env: variables, maxBuffer: 1e9 })
    return stdout
  }
  return {
    directory,
    bucket,
    host,
    credentials,
    run,
    timed: async (step, run) => {
      const started = performance.now()
      const result = await run()
      if (isLarge) process.stdout.write(`${step}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
      return result
    }
  }
}

/** Names that programs encode in more than one way. */
const unusual = ["a b.txt", "ü+c.txt", "100%25 &=?#.txt", "~(x)'!*@:;,$.txt", "日本.txt"]

/** Makes a directory of files of random bytes, so many bytes in all, in folders of a hundred files. */
export const makeTree = (tree: string, { bytes, files }: { readonly bytes: number; readonly files: number }): void => {
  for (let index = 0; index < files; index++) {
    const folder = Path.join(tree, `folder ${Math.floor(index / 100) % 10}`, `${Math.floor(index / 1000)}`)
    if (index % 100 === 0) Fs.mkdirSync(folder, { recursive: true })
    const name = index < unusual.length ? unusual[index] : undefined
    // From nothing to twice the mean.
    const size = Math.floor((2 * bytes * (index % 101)) / 100 / files)
    Fs.writeFileSync(Path.join(folder, name ?? `file-${index}.bin`), randomBytes(size))
  }
}

/** Writes a file of random bytes. */
export const makeFile = async (file: string, mebibytes: number): Promise<void> => {
  const handle = await Fs.promises.open(file, "w")
  for (let index = 0; index < mebibytes; index++) await handle.write(randomBytes(1024 * 1024))
  await handle.close()
}
