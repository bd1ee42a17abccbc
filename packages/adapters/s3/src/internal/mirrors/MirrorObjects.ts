/**
 * Finds, lists and removes the objects of a mirror target.
 */
import type { HeadObjectCommandOutput, ListObjectsV2CommandOutput } from "@aws-sdk/client-s3"
import * as Listing from "@holdfast/core/mirrors/targets/Listing"
import type { TargetObject, WriteReceipt } from "@holdfast/core/mirrors/targets/MirrorTarget"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as Connection from "../client/Connection.ts"
import type { ObjectAddress } from "../client/ObjectAddress.ts"
import type * as PutObject from "../client/PutObject.ts"
import type { FromSource } from "../client/TraceHeader.ts"
import * as S3Failure from "../S3Failure.ts"
import type * as MirrorDescription from "./MirrorDescription.ts"
import * as MirrorNames from "./MirrorNames.ts"

/** Returns the address of an object. Fails for a name that S3 cannot store. */
export const addressOf = (
  { bucket }: Connection.Connection,
  name: string
): Effect.Effect<ObjectAddress, S3Failure.S3Failure> => {
  const fault = MirrorNames.findFault(name)
  return fault === undefined
    ? Effect.succeed({ Bucket: bucket, Key: name })
    : Effect.fail(S3Failure.make("Invalid", fault))
}

/** Removes the quotes around an entity tag. The tag depends on the bytes and not on the description. */
const toTag = (ETag: string | undefined): string => (ETag ?? "").replaceAll('"', "")

/** Whole seconds since 1970, as in the answer to a HEAD. Some services list fractions of seconds. */
const toSeconds = (LastModified: Date | undefined): Pick<TargetObject, "lastModified"> =>
  LastModified === undefined ? {} : { lastModified: Math.floor(LastModified.getTime() / 1000) }

/** Seconds by which the clocks of one service may differ. */
const clockTolerance = 1

/** Returns the receipt for a put; undefined when the response has too little for one. */
export const toReceipt = ({ ETag, date }: PutObject.Output): WriteReceipt | undefined => {
  const tag = toTag(ETag)
  return tag === "" || date === undefined ? undefined : { tag, lastModified: date + clockTolerance }
}

/** Returns the receipt for an object that was found. */
export const receiptOf = ({ lastModified, tag }: TargetObject): WriteReceipt => ({ tag, lastModified })

/** The answer to a HEAD, and the object that it describes. */
export interface Head {
  readonly object: TargetObject
  readonly output: HeadObjectCommandOutput
}

const isMissing = ({ kind }: S3Failure.S3Failure): boolean => kind === "NoObject"

/** Finds an object. A missing bucket looks like a missing object: the answer to a HEAD has no body. */
export const find = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<Option.Option<Head>, S3Failure.S3Failure> =>
  addressOf(connection, name).pipe(
    Effect.flatMap((address) =>
      connection.call((client, sdk, options) => client.send(new sdk.HeadObjectCommand(address), options))
    ),
    Effect.flatMap((output) =>
      output.ContentLength === undefined
        ? Effect.fail(S3Failure.unexpected("it returned no size of an object"))
        : Effect.succeedSome({
            object: {
              name,
              size: output.ContentLength,
              tag: toTag(output.ETag),
              ...toSeconds(output.LastModified)
            },
            output
          })
    ),
    Effect.catchIf(isMissing, () => Effect.succeedNone)
  )

/** Implements the port's `stat`. */
export const stat = (
  connection: Connection.Connection,
  name: string
): Effect.Effect<Option.Option<TargetObject>, S3Failure.S3Failure> =>
  Effect.map(
    find(connection, name),
    Option.map(({ object }) => object)
  )

/** Implements the port's `remove`. Amazon's S3 answers a missing object with success; some other services do not. */
export const remove = (
  connection: Connection.Connection,
  name: string,
  source: MirrorDescription.Source
): Effect.Effect<void, S3Failure.S3Failure> =>
  addressOf(connection, name).pipe(
    Effect.map((address): ObjectAddress & FromSource => ({ ...address, Source: source?.bucketId })),
    Effect.flatMap((input) =>
      connection.call((client, sdk, options) => client.send(new sdk.DeleteObjectCommand(input), options))
    ),
    Effect.asVoid,
    Effect.catchIf(isMissing, () => Effect.void)
  )

/** Decodes a name of a listing. XML cannot hold every character of a name, so the service is asked to encode names. */
const decode = (name: string): string => decodeURIComponent(name.replaceAll("+", " "))

const toObjects = ({ Contents = [], EncodingType }: ListObjectsV2CommandOutput): ReadonlyArray<TargetObject> =>
  Contents.flatMap(({ ETag, Key, LastModified, Size }) =>
    Key === undefined || Size === undefined
      ? []
      : [{ name: EncodingType === "url" ? decode(Key) : Key, size: Size, tag: toTag(ETag), ...toSeconds(LastModified) }]
  )

/** Objects per page. The SDK parses a page of the longest names in some 40 ms. */
const pageSize = 100

const page = (
  connection: Connection.Connection,
  maxKeys: number,
  token: string | undefined
): Effect.Effect<Listing.Page, S3Failure.S3Failure> =>
  connection
    .call((client, sdk, options) =>
      client.send(
        new sdk.ListObjectsV2Command({
          Bucket: connection.bucket,
          EncodingType: "url",
          MaxKeys: maxKeys,
          ...(token === undefined ? {} : { ContinuationToken: token })
        }),
        options
      )
    )
    .pipe(
      Effect.flatMap((output) => {
        const excess = Listing.findExcess(output.Contents?.length ?? 0, maxKeys)
        if (excess !== undefined) return Effect.fail(S3Failure.unexpected(excess))
        return Effect.try({
          try: () => ({ objects: toObjects(output), next: output.NextContinuationToken || undefined }),
          catch: () => S3Failure.unexpected("it listed a name that is not URL-encoded as it declared")
        })
      })
    )

/** Implements the port's `list`. */
export const list = (connection: Connection.Connection): Stream.Stream<TargetObject, S3Failure.S3Failure> =>
  Listing.read((token) => page(connection, pageSize, token), S3Failure.unexpected)

/** Succeeds when the bucket may be listed. */
export const checkListing = (connection: Connection.Connection): Effect.Effect<void, S3Failure.S3Failure> =>
  Effect.asVoid(page(connection, 1, undefined))
