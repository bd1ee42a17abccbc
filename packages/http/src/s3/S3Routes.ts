/**
 * The S3 API with its authentication and all of its operations.
 */
import type { Endpoint } from "./Address.ts"
import * as Effect from "effect/Effect"
import type { OperationServices } from "./Operation.ts"
import { operations } from "./Operations.ts"
import * as S3App from "./S3App.ts"
import * as S3Authentication from "./S3Authentication.ts"

/** Makes the app. */
export const make = (endpoint: Endpoint): Effect.Effect<S3App.App, never, OperationServices> =>
  Effect.flatMap(S3Authentication.make, (authenticate) => S3App.make({ endpoint, authenticate, operations }))
