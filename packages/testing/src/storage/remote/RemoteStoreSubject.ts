/**
 * The subject of the suite of remote stores: a store at a service that is reached over the network. An adapter's test
 * supplies it as a layer, which starts the service.
 */
import type { BlobError } from "@holdfast/core/storage/BlobError"
import type { BlobStore } from "@holdfast/core/storage/BlobStore"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type Store = BlobStore["Service"]

/** Opens a store until the scope closes. */
export type Opening = Effect.Effect<Store, BlobError, Scope.Scope>

/** Options of a store on the same bucket that differ from the fresh store's. */
export interface OpenOptions {
  /** The URL of the service, such as that of a proxy in front of it. */
  readonly endpoint?: string
  readonly prefix?: string
  readonly maxAttempts?: number
}

/** A store on an empty bucket of its own. */
export interface FreshStore {
  readonly store: Store
  /** The URL of the service, at a port of the loopback interface. */
  readonly endpoint: string
  /** Opens another store on the same bucket. */
  readonly open: (options: OpenOptions) => Opening
  /** Puts an object that does not belong to a store, below a folder. */
  readonly putForeignObject: (folder: string) => Effect.Effect<void, BlobError, Scope.Scope>
  /** Returns whether an object exists, by other means than the adapter's. */
  readonly hasObject: (name: string) => Effect.Effect<boolean>
  /**
   * Lists the keys of uploads in parts that are neither complete nor aborted. Absent where the service keeps abandoned
   * parts.
   */
  readonly pendingUploads?: Effect.Effect<ReadonlyArray<string>>
  /** Asserts how the service stores the parts of a blob of so many bytes. */
  readonly assertParts?: (key: string, size: number) => Effect.Effect<void>
}

export class RemoteStoreSubject extends Context.Service<
  RemoteStoreSubject,
  {
    /** Opens a store whose parts have `partBytes` bytes. */
    readonly fresh: Effect.Effect<FreshStore, BlobError, Scope.Scope>
    /** Opens stores with a wrong configuration: a missing bucket, wrong credentials. */
    readonly misconfigured: Effect.Effect<ReadonlyArray<Opening>>
    /** Texts that no error of a misconfigured store may contain. */
    readonly secrets: ReadonlyArray<string>
    /** Stops the service and cuts its connections. It keeps its data. */
    readonly stop: Effect.Effect<void>
    /** Starts the service again, at the same port. */
    readonly start: Effect.Effect<void, unknown>
  }
>()("@holdfast/testing/storage/remote/RemoteStoreSubject") {}
