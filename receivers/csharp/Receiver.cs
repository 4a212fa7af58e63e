// Receives the events of Tillgate. Requires only .NET 6 or later, .NET Framework 4.7 or Mono.
//
//   receiver serve            an endpoint for webhooks on PORT (3000), and the processing
//   receiver feed [--follow]  fetch the events after the last number from the feed, once or continuously
//   receiver work             process the events of the inbox, once; not while serve runs
//
// Settings are variables: WEBHOOK_SECRETS (one or more, separated by spaces), TILLGATE_URL and TILLGATE_KEY for the feed,
// RECEIVER_DIR (./tillgate-inbox), HOST (127.0.0.1) and PORT.
//
// Each event is a file in the inbox, which is named after its sequence and id and created once. So ids are remembered, and
// a delivery is answered before the work is done. A processed event is moved to done. Change Handle to what you need. It
// is called again with the same event if the process is killed during the call.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

/// <summary>Thrown if a request is not a delivery of Tillgate; the message states the reason.</summary>
public sealed class Refused : Exception
{
    public Refused(string reason) : base(reason) { }
}

/// <summary>The content of a delivery and of the feed. Data is the resource.</summary>
public sealed class Event
{
    public string Id, Type, Timestamp, LocationId;
    public long Sequence;
    public JsonObject Data;
}

/// <summary>A JSON object with its unchanged text.</summary>
public sealed class JsonObject : Dictionary<string, object>
{
    public string Raw;

    public string Text(string name)
    {
        object value;
        return TryGetValue(name, out value) ? value as string : null;
    }

    /// <summary>Returns an integer of at least 0; -1 if there is none.</summary>
    public long Number(string name)
    {
        object value;
        long number;
        return TryGetValue(name, out value) && value is decimal && long.TryParse(((decimal)value).ToString(CultureInfo.InvariantCulture), out number) ? number : -1;
    }
}

/// <summary>Reads JSON on every .NET: objects, List, string, decimal, bool and null. Throws FormatException.</summary>
public sealed class Json
{
    static readonly Regex Number = new Regex(@"\G-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?");
    static readonly Regex String = new Regex(@"\G""((?:[^""\\\x00-\x1f]|\\(?:[""\\/bfnrt]|u[0-9a-fA-F]{4}))*)""");
    readonly string text;
    int at;

    Json(string text)
    {
        this.text = text;
    }

    public static JsonObject Read(byte[] body)
    {
        var json = new Json(new UTF8Encoding(false, true).GetString(body));
        var value = json.Value(0) as JsonObject;
        json.Blank();
        if (value == null || json.at != json.text.Length) throw new FormatException("no JSON object");
        return value;
    }

    void Blank()
    {
        while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
    }

    bool Take(string word)
    {
        Blank();
        if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) return false;
        at += word.Length;
        return true;
    }

    string Match(Regex form)
    {
        var found = form.Match(text, at);
        if (!found.Success) throw new FormatException("no JSON at " + at);
        at += found.Length;
        return found.Value;
    }

    object Value(int depth)
    {
        if (depth > 64) throw new FormatException("too deep");
        Blank();
        var start = at;
        if (Take("{"))
        {
            var value = new JsonObject();
            for (var more = !Take("}"); more; more = !End("}"))
            {
                Blank();
                var name = Unescape(Match(String));
                if (!Take(":")) throw new FormatException("no colon at " + at);
                value[name] = Value(depth + 1);
            }
            value.Raw = text.Substring(start, at - start);
            return value;
        }
        if (Take("["))
        {
            var value = new List<object>();
            for (var more = !Take("]"); more; more = !End("]")) value.Add(Value(depth + 1));
            return value;
        }
        if (Take("true")) return true;
        if (Take("false")) return false;
        if (Take("null")) return null;
        if (at < text.Length && text[at] == '"') return Unescape(Match(String));
        decimal number;
        if (!decimal.TryParse(Match(Number), NumberStyles.Float, CultureInfo.InvariantCulture, out number)) throw new FormatException("too large a number");
        return number;
    }

    /// <summary>Returns true at the end of an object or list, false after a comma.</summary>
    bool End(string mark)
    {
        if (Take(mark)) return true;
        if (Take(",")) return false;
        throw new FormatException("no comma at " + at);
    }

    static string Unescape(string quoted)
    {
        var inner = quoted.Substring(1, quoted.Length - 2);
        if (inner.IndexOf('\\') < 0) return inner;
        return Regex.Replace(inner, @"\\(u([0-9a-fA-F]{4})|.)", found =>
            found.Groups[2].Success
                ? ((char)int.Parse(found.Groups[2].Value, NumberStyles.HexNumber)).ToString()
                : "bfnrt".IndexOf(found.Groups[1].Value[0]) >= 0 ? "\b\f\n\r\t"["bfnrt".IndexOf(found.Groups[1].Value[0])].ToString() : found.Groups[1].Value);
    }
}

/// <summary>Stores events on disk, each once.</summary>
public sealed class Inbox
{
    readonly string inbox, done, positionFile;

    public Inbox(string folder)
    {
        inbox = Private(Path.Combine(folder, "inbox"));
        done = Private(Path.Combine(folder, "done"));
        positionFile = Path.Combine(folder, "position");
    }

    [System.Runtime.InteropServices.DllImport("libc")]
    static extern int chmod(string path, int mode);

    /// <summary>Creates a directory that only its owner can read; on Windows it has the rights of its parent directory.</summary>
    static string Private(string path)
    {
        var made = Directory.CreateDirectory(path).FullName;
        if (Environment.OSVersion.Platform == PlatformID.Unix && chmod(made, 448) != 0) throw new IOException(made + " cannot be made private");
        return made;
    }

    /// <summary>Stores an event; returns false if it is known. On return the event is on disk, so a kill does not lose it.</summary>
    public bool Store(Event one, byte[] body)
    {
        var name = one.Sequence.ToString("D16") + "-" + one.Id + ".json";
        var path = Path.Combine(inbox, name);
        var written = WriteAside(body);
        try
        {
            File.Move(written, path);
        }
        catch (IOException)
        {
            File.Delete(written);
            if (File.Exists(path) || File.Exists(Path.Combine(done, name))) return false;
            throw;
        }
        if (!File.Exists(Path.Combine(done, name))) return true;
        File.Delete(path);
        return false;
    }

    string WriteAside(byte[] body)
    {
        var path = Path.Combine(inbox, "." + Guid.NewGuid().ToString("N"));
        using (var file = new FileStream(path, FileMode.CreateNew))
        {
            file.Write(body, 0, body.Length);
            file.Flush(true);
        }
        return path;
    }

    /// <summary>Processes all events in the inbox, the lowest sequence first.</summary>
    public void Work()
    {
        foreach (var path in Directory.GetFiles(inbox, "*.json").OrderBy(path => path, StringComparer.Ordinal))
        {
            var moved = Path.Combine(done, Path.GetFileName(path));
            if (File.Exists(moved))
            {
                File.Delete(path);
                continue;
            }
            Receiver.Handle(Receiver.ReadEvent(File.ReadAllBytes(path)));
            File.Move(path, moved);
        }
    }

    /// <summary>The position in the feed up to which events are stored: sequence and epoch.</summary>
    public KeyValuePair<long, string> Position()
    {
        if (!File.Exists(positionFile)) return new KeyValuePair<long, string>(0, "");
        var parts = File.ReadAllText(positionFile).Split(' ');
        return new KeyValuePair<long, string>(long.Parse(parts[0], CultureInfo.InvariantCulture), parts[1]);
    }

    public void MoveTo(long after, string epoch)
    {
        var written = WriteAside(Encoding.ASCII.GetBytes(after.ToString(CultureInfo.InvariantCulture) + " " + epoch));
        if (File.Exists(positionFile)) File.Replace(written, positionFile, null);
        else File.Move(written, positionFile);
    }
}

/// <summary>A page of the feed; its events keep their text.</summary>
public sealed class Page
{
    public List<JsonObject> Events;
    public long After;
    public string Epoch;
    public bool IsAtHead;
}

public static class Receiver
{
    const int LargestBody = 4194304;

    /// <summary>Does your work. Throw an exception to process the event again.</summary>
    public static void Handle(Event one)
    {
        Console.WriteLine(one.Type + " " + one.Sequence + " " + one.Id);
    }

    /// <summary>Returns the key of a secret. With an empty or short secret, such as an unset variable, anybody could sign.</summary>
    static byte[] KeyOf(string secret)
    {
        var form = Regex.Match(secret, @"\Awhsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\z");
        var key = form.Success ? Convert.FromBase64String(form.Groups[1].Value) : new byte[0];
        if (key.Length < 24 || key.Length > 64) throw new ArgumentException("a secret must be whsec_ followed by 24 to 64 bytes in base64");
        return key;
    }

    /// <summary>Verifies a signature of Standard Webhooks 1.0 over the raw bytes of the body.</summary>
    public static void Verify(IEnumerable<string> secrets, Func<string, string> header, byte[] body, DateTimeOffset now, long tolerance = 300)
    {
        string id = header("webhook-id") ?? "", timestamp = header("webhook-timestamp") ?? "", signatures = header("webhook-signature") ?? "";
        if (id == "" || timestamp == "" || signatures == "") throw new Refused("header_missing");
        if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z") || Math.Abs(now.ToUnixTimeSeconds() - long.Parse(timestamp, CultureInfo.InvariantCulture)) > tolerance)
            throw new Refused("timestamp_off");
        var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        foreach (var secret in secrets)
        {
            using (var hmac = new HMACSHA256(KeyOf(secret)))
            {
                var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(signed));
                if (signatures.Split(' ').Any(one => IsSame(expected, one))) return;
            }
        }
        throw new Refused("signature_wrong");
    }

    /// <summary>Compares two texts in a time that does not depend on where they differ.</summary>
    static bool IsSame(string expected, string given)
    {
        var difference = expected.Length ^ given.Length;
        for (var i = 0; i < expected.Length; i++) difference |= expected[i] ^ (i < given.Length ? given[i] : '\0');
        return difference == 0;
    }

    /// <summary>Reads the event in a body. Checks the id, which becomes the name of a file.</summary>
    public static Event ReadEvent(byte[] body)
    {
        try
        {
            return ToEvent(Json.Read(body));
        }
        catch (Exception error) when (error is FormatException || error is ArgumentException)
        {
            throw new Refused("body_invalid");
        }
    }

    static Event ToEvent(JsonObject json)
    {
        object data;
        json.TryGetValue("data", out data);
        var one = new Event
        {
            Id = json.Text("id"), Type = json.Text("type"), Timestamp = json.Text("timestamp"),
            LocationId = json.Text("locationId"), Sequence = json.Number("sequence"), Data = data as JsonObject,
        };
        if (one.Id == null || one.Type == null || one.Sequence < 0 || !Regex.IsMatch(one.Id, @"\A[A-Za-z0-9_-]{1,200}\z"))
            throw new Refused("body_invalid");
        return one;
    }

    /// <summary>Returns whether an event is from the test operation, by its signed id: the header webhook-test is not signed.</summary>
    public static bool IsTest(Event one)
    {
        return one.Id.Contains("_00000000_");
    }

    static void Serve(Inbox inbox)
    {
        var secrets = (Environment.GetEnvironmentVariable("WEBHOOK_SECRETS") ?? "").Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
        if (secrets.Length == 0) throw new ArgumentException("set WEBHOOK_SECRETS to the secret of the webhook: whsec_ followed by 24 to 64 bytes in base64; separate several with spaces");
        foreach (var secret in secrets) KeyOf(secret);
        var listener = new HttpListener();
        var port = Setting("PORT", "3000");
        listener.Prefixes.Add("http://" + Setting("HOST", "127.0.0.1") + ":" + port + "/");
        listener.Start();
        Console.WriteLine("listening on " + port);
        var news = new AutoResetEvent(false);
        var work = new Thread(() => WorkForEver(inbox, news)) { IsBackground = true };
        work.Start();
        for (;;)
        {
            var context = listener.GetContext();
            ThreadPool.QueueUserWorkItem(_ => Answer(context, inbox, secrets, news));
        }
    }

    static void WorkForEver(Inbox inbox, AutoResetEvent news)
    {
        for (;;)
        {
            try
            {
                inbox.Work();
            }
            catch (Exception error)
            {
                Console.Error.WriteLine("processing failed, retrying: " + error.Message);
            }
            news.WaitOne(5000);
        }
    }

    /// <summary>Responds as soon as the event is on disk; the work follows.</summary>
    static void Answer(HttpListenerContext context, Inbox inbox, string[] secrets, AutoResetEvent news)
    {
        int status;
        try
        {
            status = Receive(context.Request, inbox, secrets, news);
        }
        catch (Refused)
        {
            status = 400;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error.Message);
            status = 500;
        }
        try
        {
            context.Response.StatusCode = status;
            context.Response.Close();
        }
        catch (Exception)
        {
            // The sender has disconnected, and will send the event again.
        }
    }

    static int Receive(HttpListenerRequest request, Inbox inbox, string[] secrets, AutoResetEvent news)
    {
        if (request.HttpMethod != "POST") return 405;
        if (request.ContentLength64 < 0) return 411;
        if (request.ContentLength64 > LargestBody) return 413;
        var body = new MemoryStream();
        request.InputStream.CopyTo(body);
        Verify(secrets, name => request.Headers[name], body.ToArray(), DateTimeOffset.UtcNow);
        var one = ReadEvent(body.ToArray());
        if (IsTest(one)) return 204;
        inbox.Store(one, body.ToArray());
        news.Set();
        return 204;
    }

    static string Setting(string name, string otherwise)
    {
        var set = Environment.GetEnvironmentVariable(name);
        return string.IsNullOrEmpty(set) ? otherwise : set;
    }

    /// <summary>Returns the URL of a request for the events after a sequence; the key is sent in the header x-api-key.</summary>
    public static string FeedUrl(string url, long after, string epoch, int wait)
    {
        return url.TrimEnd('/') + "/v1/events/?after=" + after + "&limit=500&wait=" + wait + (epoch == "" ? "" : "&epoch=" + Uri.EscapeDataString(epoch));
    }

    public static Page ReadPage(byte[] body)
    {
        var page = Json.Read(body);
        var meta = (JsonObject)page["meta"];
        long next = meta.Number("next"), head = meta.Number("head");
        var events = ((List<object>)page["data"]).Cast<JsonObject>().ToList();
        return new Page { Events = events, After = next, Epoch = meta.Text("epoch"), IsAtHead = next >= head };
    }

    /// <summary>Reads the content of a response that is not a success: code, detail, request id.</summary>
    public static string[] ReadProblem(int status, byte[] body)
    {
        try
        {
            var json = Json.Read(body);
            var parts = new[] { json.Text("code"), json.Text("detail"), json.Text("requestId") };
            if (parts.All(part => part != null)) return parts;
        }
        catch (Exception error) when (error is FormatException || error is ArgumentException)
        {
            // Not a document of Tillgate: a proxy in between has responded.
        }
        return new[] { "unexpected_answer", "the server answered " + status, "" };
    }

    /// <summary>Returns the milliseconds until a retry, or null if it does not help. Status 0 means that there is no response.</summary>
    public static long? WaitBeforeRetry(int status, string retryAfter, int attempt, double chance)
    {
        if (status > 0 && status < 500 && status != 408 && status != 429) return null;
        long asked;
        if (!long.TryParse(retryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out asked)) asked = 0;
        return Math.Max(asked * 1000, (long)(chance * Math.Min(10000, 200 * Math.Pow(2, Math.Min(attempt, 16)))));
    }

    static byte[] Ask(HttpClient client, string url, string key)
    {
        for (var attempt = 0; ; attempt++)
        {
            var status = 0;
            var retryAfter = "";
            var body = new byte[0];
            try
            {
                var request = new HttpRequestMessage(HttpMethod.Get, url);
                request.Headers.Add("x-api-key", key);
                using (var answer = client.SendAsync(request).Result)
                {
                    body = answer.Content.ReadAsByteArrayAsync().Result;
                    status = (int)answer.StatusCode;
                    IEnumerable<string> values;
                    if (answer.Headers.TryGetValues("retry-after", out values)) retryAfter = values.First();
                }
            }
            catch (AggregateException)
            {
                // There is no response, so the request is sent again.
            }
            if (status == 200) return body;
            var wait = WaitBeforeRetry(status, retryAfter, attempt, new Random().NextDouble());
            // 409 epoch_changed and sequence_ahead need a decision by a person: docs/webhooks, "Read the feed".
            if (wait == null) throw new InvalidOperationException(string.Join(" ", ReadProblem(status, body)));
            Thread.Sleep((int)wait.Value);
        }
    }

    static void Feed(Inbox inbox, bool follow)
    {
        string server = Setting("TILLGATE_URL", ""), key = Setting("TILLGATE_KEY", "");
        if (!(server.StartsWith("https://") || server.StartsWith("http://")) || key == "")
            throw new ArgumentException("set TILLGATE_URL to the URL of the server, such as https://pos.example, and TILLGATE_KEY to a key of the scope read");
        // Redirects are not followed, because the key could be sent to another host.
        var client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false }) { Timeout = TimeSpan.FromSeconds(60) };
        for (var atHead = false; !atHead || follow;)
        {
            var position = inbox.Position();
            var url = FeedUrl(server, position.Key, position.Value, follow && atHead ? 25 : 0);
            var page = ReadPage(Ask(client, url, key));
            foreach (var one in page.Events) inbox.Store(ToEvent(one), Encoding.UTF8.GetBytes(one.Raw));
            // The position is stored last: after a kill before this line, the page is read again, and its events are known.
            inbox.MoveTo(page.After, page.Epoch);
            atHead = page.IsAtHead;
        }
    }

    public static int Main(string[] arguments)
    {
        try
        {
            var inbox = new Inbox(Setting("RECEIVER_DIR", "./tillgate-inbox"));
            switch (arguments.FirstOrDefault())
            {
                case "serve": Serve(inbox); return 0;
                case "feed": Feed(inbox, arguments.Contains("--follow")); return 0;
                case "work": inbox.Work(); return 0;
                default: Console.Error.WriteLine("receiver serve | feed [--follow] | work"); return 2;
            }
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error.Message);
            return 1;
        }
    }
}
