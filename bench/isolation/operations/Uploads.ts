/**
 * Uploads over many connections.
 */
import * as Effect from "effect/Effect"
import * as Tenancy from "../../support/fixtures/Tenancy.ts"
import { sequence } from "../../support/load/LoadJob.ts"
import * as Requests from "../../support/load/Requests.ts"
import * as Calls from "../Calls.ts"
import type { Operation } from "../Operation.ts"

const raw = { "content-type": "application/octet-stream" }

export const uploads: Operation = {
  name: "uploads",
  description: "uploads of new small files over many connections",
  prepare: (site) =>
    Effect.sync(() => {
      const { attacker, service, sizes } = site
      const { connections, seconds } = sizes
      const count = seconds * 500
      const name = `${site.uniqueName("upload")}-${sequence}.bin`
      const requests = [Requests.postForm(attacker.files("/upload"), name, 4096)]
      const job = { port: service.port, requests, connections, count, status: 201, firstNumber: 0 }
      const work = Effect.map(
        service.runLoad(job),
        ({ p99Ms, wallMs }) => `${count} × 201 in ${Calls.duration(wallMs)}, p99 ${Calls.duration(p99Ms)}`
      )
      return { work }
    })
}

export const hotFile: Operation = {
  name: "hot-file",
  description: "new contents of one file over many connections",
  prepare: Effect.fnUntraced(function* (site) {
    const { connections, seconds } = site.sizes
    const id = yield* site.store(4096)
    const url = site.url(site.attacker.files(`/${id}/reupload`))
    const body = new Uint8Array(4096)
    const work = Calls.callFor(() => Calls.call("POST", url, body, raw), connections, seconds)
    return { work }
  })
}

export const largeUploads: Operation = {
  name: "large-uploads",
  description: "uploads of 64 MiB over eight connections",
  prepare: Effect.fnUntraced(function* (site) {
    const { attacker, service, sizes } = site
    const bytes = Math.min(sizes.largeBytes / 16, 64 * 1024 ** 2)
    const requests = yield* Tenancy.reuploads(attacker, 8, bytes)
    const count = 8 * Math.ceil(sizes.seconds / 8)
    const job = { port: service.port, requests, connections: 8, count, status: 200, firstNumber: 0 }
    const work = Effect.map(service.runLoad(job), ({ wallMs }) => `${count} × 200 in ${Calls.duration(wallMs)}`)
    return { work }
  })
}
