/**
 * A server with player pages, their assets by the real routes, and one stream whose state a test sets. It serves them under a
 * prefix, as in a host program.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { Format } from "@holdfast/core/transcoding/Presentation"
import * as StreamFiles from "@holdfast/core/transcoding/StreamFiles"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Fs from "node:fs/promises"
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import * as Path from "node:path"
import * as PlayerAssets from "../../../src/players/PlayerAssets.ts"
import * as PlayerPage from "../../../src/players/PlayerPage.ts"
import * as PlayerParameters from "../../../src/players/PlayerParameters.ts"
import * as ProblemMiddleware from "../../../src/problems/ProblemMiddleware.ts"
import * as RouterListener from "../../../src/server/listener/RouterListener.ts"

/** The state that a test may change while a page is open. */
export interface State {
  directory: string
  /** Status code and item of the response with the list of conversions. */
  status: { readonly code: number; readonly item?: object }
  /** Number of segments in the playlist; `Infinity` for the complete playlist. */
  segments: number
  /** Whether the server destroys every connection. */
  isDown: boolean
  /** Fault of the segments: invalid content, or 404. */
  fault: "corrupt" | "missing" | undefined
  frameAncestors: string
  title: string
  poster: string | undefined
  storyboard: string | undefined
  /** Whether the server knows that the stream has no picture. */
  isSound: boolean
}

export const ready = { code: 200, item: { state: "READY", progress: 1, error: null } }
export const running = (progress: number) => ({ code: 200, item: { state: "RUNNING", progress, error: null } })

export interface PlayerServer {
  readonly state: State
  /** Returns the address of the page of a format, with a query such as `?muted`. */
  readonly page: (format: Format, query?: string) => string
  readonly url: string
  /** Returns the addresses that were requested since the last call. */
  readonly takeRequests: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

class Assets extends Context.Service<Assets, RequestListener>()("test/Assets") {}

const prefix = "/host"
const streamsPath = "/api/v1/tenants/ten_1/buckets/bkt_1/files/fil_1/streams"

/** Listens on a free port of the loopback interface. Returns the server's address. */
export const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return `http://127.0.0.1:${address.port}`
}

/** Returns the first segments of a media playlist, without its end unless it is complete. */
const truncate = (text: string, segments: number): string => {
  const lines = text.split("\n")
  const uriLines = lines.flatMap((line, index) => (line !== "" && !line.startsWith("#") ? [index] : []))
  const last = uriLines[segments - 1]
  return last === undefined || segments >= uriLines.length ? text : `${lines.slice(0, last + 1).join("\n")}\n`
}

/** The assets, which never change: all servers of a process share them, so that each is compressed once. */
const runtime = ManagedRuntime.make(
  Layer.effect(
    Assets,
    RouterListener.make(Layer.merge(PlayerAssets.layer, ProblemMiddleware.layer(PlayerAssets.routes, {})))
  ).pipe(Layer.provide([NodeHttpServer.layerHttpServices, SecureRandom.layerWebCrypto]))
)

export const make = async (): Promise<PlayerServer> => {
  const assets = await runtime.runPromise(Assets)
  const state: State = {
    directory: "",
    status: ready,
    segments: Infinity,
    isDown: false,
    fault: undefined,
    frameAncestors: "*",
    title: "A",
    poster: undefined,
    storyboard: undefined,
    isSound: false
  }
  let requests: Array<string> = []

  const page = (format: Format, query: URLSearchParams, response: ServerResponse) => {
    const { headers, html } = PlayerPage.render({
      format,
      source: `${format}/${StreamFiles.entry(format)}?apiKey=k`,
      status: "../streams?apiKey=k",
      poster: state.poster,
      storyboard: state.storyboard,
      isSound: state.isSound,
      title: state.title,
      parameters: PlayerParameters.parse(query),
      frameAncestors: state.frameAncestors
    })
    response.writeHead(200, headers).end(html)
  }

  const file = async (name: string, response: ServerResponse) => {
    if (!name.endsWith(".m3u8")) {
      if (state.fault === "missing" && !name.endsWith(".mpd")) return void response.writeHead(404).end()
      const path = Path.join(state.directory, name)
      const bytes =
        state.fault === "corrupt" && !name.endsWith(".mpd")
          ? Buffer.from("\0\0\0\bjunk".repeat(1000))
          : await Fs.readFile(path)
      return void response.writeHead(200, { "content-type": StreamFiles.contentType(name) }).end(bytes)
    }
    if (state.status.code !== 200) return void response.writeHead(state.status.code).end()
    if (state.segments === 0) return void response.writeHead(503, { "retry-after": "1" }).end()
    const text = truncate(await Fs.readFile(Path.join(state.directory, name), "utf8"), state.segments)
    response.writeHead(200, { "content-type": StreamFiles.contentType(name), "cache-control": "no-store" }).end(text)
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    requests.push(request.url ?? "")
    if (state.isDown) return void request.socket.destroy()
    const path = pathname.slice(prefix.length)
    if (path === streamsPath) {
      const items = [state.status.item].flatMap((item) => (item === undefined ? [] : [item]))
      const all = items.flatMap((item) => [
        { format: "hls", ...item },
        { format: "dash", ...item }
      ])
      return void response
        .writeHead(state.status.code, { "content-type": "application/json" })
        .end(JSON.stringify({ items: all }))
    }
    const [, format, name] = /^\/(hls|dash)(?:\/(.+))?$/.exec(path.slice(streamsPath.length)) ?? []
    if (path.startsWith(streamsPath) && (format === "hls" || format === "dash")) {
      if (name === undefined) return page(format, searchParams, response)
      return void file(name, response).catch(() => response.writeHead(404).end())
    }
    request.url = `${path}`
    assets(request, response)
  })
  const url = await listen(server)
  return {
    state,
    url: `${url}${prefix}`,
    page: (format, query = "") => `${url}${prefix}${streamsPath}/${format}${query}`,
    takeRequests: () => {
      const all = requests
      requests = []
      return all
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
