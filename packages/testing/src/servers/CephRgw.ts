/**
 * A server of the S3 protocol for tests and benchmarks: Ceph's gateway on a temporary cluster. It runs as an unprivileged user.
 */
import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Configuration from "./internal/CephConfiguration.ts"
import * as Processes from "./internal/CephProcesses.ts"
import * as Programs from "./internal/CephPrograms.ts"
import { freePort } from "./FreePort.ts"

/** A running gateway. */
export class CephRgw extends Context.Service<
  CephRgw,
  {
    /** The gateway's URL. Buckets are part of the path. */
    readonly endpoint: string
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: Redacted.Redacted }
    /** Limits the bytes of the user in all buckets; undefined removes the limit. */
    readonly setQuota: (bytes: number | undefined) => Effect.Effect<void, Processes.CephError>
    /** Kills the gateway. It keeps its data. */
    readonly stop: Effect.Effect<void>
    /** Starts the gateway again, on the same port. Does nothing while it runs. */
    readonly start: Effect.Effect<void, Processes.CephError>
  }
>()("@holdfast/testing/servers/CephRgw") {}

/** The reason why this machine cannot run a gateway; undefined when it can. */
export const missing: string | undefined = Programs.missing

const accessKeyId = "testtesttest"
const secretAccessKey = "secretsecretsecret"

/** A directory that the servers' user owns, removed with the scope. */
const directory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "holdfast-ceph-"))
    const own = (path: string) => Programs.user && chownSync(path, Programs.user.uid, Programs.user.gid)
    own(path)
    for (const name of ["mon", "osd", "rgw"]) {
      mkdirSync(join(path, name))
      own(join(path, name))
    }
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const port = Effect.mapError(freePort, ({ message }) => new Processes.CephError({ message }))

/** Runs a server until the scope closes. */
const serve = (directory: string, program: Programs.Program, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(Processes.start(directory, program, args), Processes.stop)

const isAnswering = (endpoint: string): Effect.Effect<boolean> =>
  Effect.promise((signal) =>
    fetch(endpoint, { signal }).then(
      ({ ok }) => ok,
      () => false
    )
  )

const make = Effect.fnUntraced(function* (
  store: Configuration.Store
): Effect.fn.Return<CephRgw["Service"], Processes.CephError, Scope.Scope> {
  const home = yield* directory
  const ports = { gateway: yield* port, monitor: [yield* port, yield* port] as const }
  const cluster = randomUUID()
  yield* Effect.sync(() =>
    writeFileSync(join(home, "ceph.conf"), Configuration.text(home, cluster, ports, store), { mode: 0o644 })
  )
  const run = (program: Programs.Program, ...args: ReadonlyArray<string>) => Processes.run(home, program, args)

  yield* run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", Configuration.monitors(ports), "monmap")
  yield* run("ceph-authtool", "--create-keyring", "keyring", "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
  yield* run("ceph-mon", "-i", "a", "--mkfs", "--monmap", "monmap", "--keyring", "keyring")
  yield* serve(home, "ceph-mon", ["-i", "a"])

  const osd = randomUUID()
  yield* run("ceph", "osd", "new", osd, "0")
  yield* run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd)
  const server = yield* serve(home, "ceph-osd", ["-i", "0"])
  const isUp = Effect.match(run("ceph", "osd", "stat", "-f", "json"), {
    onFailure: () => false,
    onSuccess: (text) => text.includes('"num_up_osds":1')
  })
  yield* Processes.untilReady(server, "ceph-osd", isUp)
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  yield* run("radosgw-admin", "user", "create", "--uid=test", "--display-name=test", ...keys)

  const endpoint = `http://127.0.0.1:${ports.gateway}`
  let gateway: ChildProcess | undefined
  const stop = Effect.suspend(() => {
    const running = gateway
    gateway = undefined
    return running === undefined ? Effect.void : Processes.stop(running)
  })
  const start = Effect.suspend(() =>
    gateway === undefined
      ? Effect.flatMap(Processes.start(home, "radosgw", ["-n", "client.rgw"]), (started) => {
          gateway = started
          return Processes.untilReady(started, "radosgw", isAnswering(endpoint))
        })
      : Effect.void
  )
  const setQuota = (bytes: number | undefined) => {
    const scope = ["--uid=test", "--quota-scope=user"]
    return Effect.asVoid(
      bytes === undefined
        ? run("radosgw-admin", "quota", "disable", ...scope)
        : Effect.andThen(
            run("radosgw-admin", "quota", "set", ...scope, `--max-size=${bytes}`),
            run("radosgw-admin", "quota", "enable", ...scope)
          )
    )
  }
  yield* Effect.addFinalizer(() => stop)
  yield* start
  return {
    endpoint,
    credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) },
    setQuota,
    start,
    stop
  }
})

const layerWith = (store: Configuration.Store): Layer.Layer<CephRgw, Processes.CephError> =>
  // A port can be taken between its choice and its use. What a failed attempt started ends with the scope.
  Layer.effect(CephRgw, Effect.retry(make(store), { times: 1 }))

/** Runs a gateway with so many bytes of memory for data. */
export const layerWithMemory = (bytes: number): Layer.Layer<CephRgw, Processes.CephError> =>
  layerWith({ kind: "memory", bytes })

/** Runs a gateway that stores its data durably, in a file of at most so many bytes in the directory for temporary files. */
export const layerOnDisk = (bytes: number): Layer.Layer<CephRgw, Processes.CephError> =>
  layerWith({ kind: "disk", bytes })

/** Runs a gateway without buckets while the layer is in use. */
export const layer = layerWithMemory(2 * 1024 ** 3)
