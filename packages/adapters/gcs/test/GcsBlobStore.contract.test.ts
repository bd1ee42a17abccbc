import * as BlobStoreContract from "@holdfast/testing/storage/BlobStoreContract"
import * as Bucket from "./support/Bucket.ts"

BlobStoreContract.suite("GcsBlobStore on a fake of the service", Bucket.store, { largeBytes: 64 * 1024 * 1024 })
