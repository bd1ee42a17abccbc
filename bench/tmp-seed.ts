import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { migrate } from "../packages/adapters/sql/src/migrations/Migrate.ts"
import * as Seed from "./support/Seed.ts"
import * as Database from "./support/Database.ts"
const id = (k: string, n: number) => `${k}_01890000-0000-7000-8000-${String(n).padStart(12,"0")}`
const one = (d: Database.Database) => Effect.gen(function*() {
  const inst = yield* d.create("/tmp/seedtest")
  yield* Effect.gen(function*(){
    const sql = yield* SqlClient
    yield* migrate
    yield* sql`INSERT INTO tenant (id,name,subdomain,created_at,updated_at) VALUES (${id("ten",1)}, 'a','b',1,1)`
    for (const n of [1,2]) yield* sql`INSERT INTO bucket (id,tenant_id,name,created_at,updated_at) VALUES (${id("bkt",n)}, ${id("ten",1)}, ${"b"+n},1,1)`
    const t = performance.now()
    yield* Seed.seed([{tenantId:id("ten",1),bucketId:id("bkt",1),files:10000},{tenantId:id("ten",1),bucketId:id("bkt",2),files:1000000}])
    process.stdout.write(`${d.name} seeded in ${performance.now()-t}\n`)
    process.stdout.write(JSON.stringify(yield* sql`SELECT path, count(*) AS c, min(name) AS a, max(name) AS b FROM file GROUP BY bucket_id, path ORDER BY c DESC LIMIT 3`)+"\n")
    if (inst.cpu) process.stdout.write(`cpu ${yield* inst.cpu}\n`)
  }).pipe(Effect.provide(inst.client))
})
const main = Effect.scoped(Effect.gen(function*(){ yield* one(Database.sqlite); yield* one(yield* Database.postgres) }))
Effect.runPromise(main).catch(e => process.stdout.write(String(e.stack)+String(e.cause)+"\n"))
