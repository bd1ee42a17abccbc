import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as StoreFlags from "./StoreFlags.ts"

/** `holdfast migrate` */
export const command = Command.make(
  "migrate",
  StoreFlags.flags,
  Effect.fnUntraced(function* (given) {
    const places = yield* StoreFlags.loadConfig(given)
    const { run } = yield* Effect.promise(() => import("./operator/Migrate.ts"))
    yield* run(places)
  })
).pipe(Command.withDescription("Bring the database to the schema of this version, as `serve` does when it starts"))
