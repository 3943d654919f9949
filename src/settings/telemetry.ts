/** The settings of metrics and traces: a part of SETTINGS_TREE. */
import {
  isHttpUrl,
  numberToOne,
  oneOf,
  optionalParsed,
  optionalText,
  optionalWholeNumber,
  parseHeaders,
  SECRET,
  setting,
} from './rules.ts';

export const TELEMETRY_SETTINGS = {
  metricsPort: setting(
    'METRICS_PORT',
    optionalWholeNumber(1, 65_535, '9464'),
    'Port, on `HOST`, on which every role serves `/metrics` for Prometheus, and the probes. Keep it private. Without it `serve` and `start` have no metrics; `work` also serves `/metrics` on `HEALTH_PORT`.',
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    optionalText(isHttpUrl, 'an http or https URL', 'http://collector:4318'),
    'Base address of an OpenTelemetry receiver; traces are sent to `/v1/traces` below it (OTLP, JSON over HTTP). Without it nothing is traced.',
  ),
  otlpHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    optionalParsed(parseHeaders, {}, 'name=value pairs, separated by commas', 'authorization=Bearer%20token'),
    'Headers for that receiver: `name=value`, separated by commas, values percent-encoded. Treated as a secret.',
    SECRET,
  ),
  sampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf(
      [
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ],
      'parentbased_traceidratio',
      'parentbased_always_on',
    ),
    'Traces to keep: `always_on`, `always_off`, `traceidratio` (a share), each also as `parentbased_...`, with which a caller that sends `traceparent` decides for its own requests.',
  ),
  sampleRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    numberToOne('0.1', '0.25'),
    'The share that `traceidratio` keeps, 0 to 1.',
  ),
} as const;
