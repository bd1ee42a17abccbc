/**
 * Loads modules of Node.js when the program first uses one of their exports, instead of when it starts.
 *
 * An `import` of `node:http` reads all of its exports, of which `WebSocket` loads Node's HTTP client, and HTTP/2 with it: 11 MiB of memory
 * and 50 ms. `node:https` and `node:tls` take 6 MiB, which a service needs only once it calls another server.
 */
import type { Plugin } from "esbuild"

const contentsOf = (name: string): string => {
  const exported = Object.keys(process.getBuiltinModule(name) ?? {})
  return `for (const key of ${JSON.stringify(exported)}) {
    Object.defineProperty(exports, key, {
      enumerable: true,
      get: () => process.getBuiltinModule(${JSON.stringify(name)})[key]
    })
  }`
}

/** The namespace of what replaces them. */
export const namespace = "builtin"

/** Replaces these modules in a bundle. */
export const lazy: Plugin = {
  name: "builtin-modules",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^(?:node:)?(?:https?|tls)$/ }, ({ path }) => ({
      path: path.replace(/^(?!node:)/, "node:"),
      namespace
    }))
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: contentsOf(path) }))
  }
}
