/**
 * Mounts the HTTP API in a program's own web server: `toNodeListener`, `toFastify`, `toWebHandler`, and the S3 API: `toS3Handler`. Health and
 * metrics are `toOperatorListener` and `toOperatorHandler`. The client is `@holdfast/http/client`.
 */
export { type FastifyOptions, toFastify } from "./mount/Fastify.ts"
export { type Authenticated, type NodeListenerOptions, toNodeListener } from "./mount/NodeListener.ts"
export { type S3HandlerOptions, toS3Handler } from "./mount/S3Handler.ts"
export { toWebHandler, type WebHandler, type WebHandlerOptions } from "./mount/WebHandler.ts"
export { type OperatorOptions, toOperatorHandler, toOperatorListener } from "./mount/Operator.ts"
