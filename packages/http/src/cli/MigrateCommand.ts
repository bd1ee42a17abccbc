import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast migrate` */
export const command = Command.make(
  "migrate",
  StoreFlags.flags,
  Effect.fnUntraced(function* (parsed) {
    const config = yield* StoreFlags.loadConfig(parsed)
    const { run } = yield* Effect.promise(() => import("./operator/Migrate.ts"))
    yield* run(config)
  })
).pipe(Command.withDescription("Migrate the database to the schema of this version, as `serve` does when it starts"))
