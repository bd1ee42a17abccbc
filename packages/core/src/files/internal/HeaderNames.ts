/**
 * The names that a file's own headers may have.
 *
 * The user who sets a header is not the user who reads the file, and the response passes proxies on its way. Therefore a file
 * has only headers that describe its content, and names of the user's own that begin with `x-`. Every other name is refused,
 * known or not: `Link`, `Refresh`, `Speculation-Rules`, `Surrogate-Control`, `NEL` and `SourceMap` make browsers or proxies send
 * requests, and the next such header has no name yet.
 */

/** Headers that describe the content (RFC 9110, RFC 9111, and the Robots Exclusion Protocol). */
export const descriptive: ReadonlySet<string> = new Set([
  "content-type",
  "content-language",
  "content-disposition",
  "content-encoding",
  "cache-control",
  "expires",
  "x-robots-tag"
])

/** Names beyond these characters are refused, since some programs equate `_` and `.` with `-`. */
const ownName = /^x-[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Names that begin with `x-` and that a program acts upon, by what it does. An entry that ends with a hyphen refuses all names
 * that begin with it; any other entry refuses the name itself and all names that begin with it and a hyphen.
 */
const acting: ReadonlyArray<string> = [
  // Servers that send another file or the answer of another address instead: nginx, Apache, lighttpd, Perlbal, H2O, mod_zip,
  // Google App Engine (`X-AppEngine-BlobKey`), Rack (`X-Cascade: pass`), Symfony's cache (`X-Body-Eval`, `X-Body-File`).
  "x-accel-",
  "x-appengine-",
  "x-archive-",
  "x-body-",
  "x-cascade",
  "x-lighttpd-",
  "x-reproxy-",
  "x-sendfile",
  "x-sendfile2",
  // Caches and accelerators that store, vary, remove or transform the response: Squid, H2O, LiteSpeed, Varnish and the rules
  // that are common for it, TYPO3, Magento, PageSpeed, srcache of OpenResty.
  "x-accelerator-vary",
  "x-ban",
  "x-cache",
  "x-cacheable",
  "x-compress-hint",
  "x-do-esi",
  "x-drupal-",
  "x-esi",
  "x-grace",
  "x-litespeed-",
  "x-lscache",
  "x-magento-",
  "x-mod-pagespeed",
  "x-nginx-",
  "x-openresty-",
  "x-page-speed",
  "x-pagespeed",
  "x-passenger-",
  "x-proxy-",
  "x-psa-",
  "x-purge",
  "x-reverse-proxy-",
  "x-squid-",
  "x-srcache-",
  "x-surrogate-",
  "x-symfony-",
  "x-ttl",
  "x-varnish",
  "x-xkey",
  // Load balancers and gateways. Envoy takes a host out of service after `X-Envoy-Immediate-Health-Check-Fail`.
  "x-apisix-",
  "x-backend",
  "x-envoy-",
  "x-haproxy-",
  "x-istio-",
  "x-kong-",
  "x-traefik-",
  "x-upstream-",
  // Clouds, content delivery networks and hosts of functions, which rename, route or cache by their own headers.
  "x-akamai-",
  "x-alicdn-",
  "x-amz-",
  "x-amzn-",
  "x-arr-",
  "x-aws-",
  "x-azure-",
  "x-cdn",
  "x-cf-",
  "x-check-cacheable",
  "x-cloud-",
  "x-cloudfront-",
  "x-cos-",
  "x-ec-",
  "x-edge-",
  "x-edgeconnect-",
  "x-fastly-",
  "x-fd-",
  "x-gfe-",
  "x-goog-",
  "x-google-",
  "x-hw-",
  "x-iinfo",
  "x-llnw-",
  "x-middleware-",
  "x-ms-",
  "x-msedge-",
  "x-netlify-",
  "x-nextjs-",
  "x-nf-",
  "x-now-",
  "x-nws-",
  "x-obs-",
  "x-oss-",
  "x-pull",
  "x-shield",
  "x-sucuri-",
  "x-swift-",
  "x-vercel-",
  // Headers of requests, which a proxy or an application could take for those of the next request.
  "x-api-key",
  "x-auth",
  "x-client-cert",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-csrf-token",
  "x-forwarded",
  "x-host",
  "x-http-",
  "x-method",
  "x-original-",
  "x-proto",
  "x-real-ip",
  "x-remote-",
  "x-rewrite-",
  "x-scheme",
  "x-ssl-",
  "x-true-client-ip",
  "x-url-scheme",
  "x-xsrf-token",
  // Browsers: framing, filters, compatibility modes, downloads, other policies, and requests that they send.
  "x-associated-content",
  "x-auto-login",
  "x-chrome-",
  "x-client-data",
  "x-content-digest",
  "x-content-duration",
  "x-content-options",
  "x-content-security-policy",
  "x-content-type-options",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-firefox-",
  "x-frame-options",
  "x-moz-",
  "x-permitted-cross-domain-policies",
  "x-pingback",
  "x-source-map",
  "x-sourcemap",
  "x-ua-compatible",
  "x-webkit-",
  "x-xss-protection",
  // Libraries in pages, which follow an address or run a script from a response.
  "x-ic-",
  "x-inertia",
  "x-location",
  "x-pjax",
  "x-redirect",
  "x-refresh",
  "x-turbolinks-",
  "x-up-",
  // Tracing, limits and the service itself: clients and proxies take these for statements of the service.
  "x-b3-",
  "x-correlation-id",
  "x-datadog-",
  "x-holdfast-",
  "x-ot-",
  "x-rate-limit",
  "x-ratelimit",
  "x-request-id",
  "x-retry-",
  "x-trace"
]

const exact = new Set(acting.filter((entry) => !entry.endsWith("-")))
const prefixes = new Set(acting.map((entry) => (entry.endsWith("-") ? entry : `${entry}-`)))

/** Whether the name, or one of its beginnings that end with a hyphen, is refused. */
const isActing = (name: string): boolean => {
  if (exact.has(name)) return true
  for (let at = name.indexOf("-", 2); at >= 0; at = name.indexOf("-", at + 1)) {
    if (prefixes.has(name.slice(0, at + 1))) return true
  }
  return false
}

/** Whether a file's own header may have this name, which is in lower case. */
export const isAllowed = (name: string): boolean => descriptive.has(name) || (ownName.test(name) && !isActing(name))
