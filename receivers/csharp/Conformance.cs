// Answers the conformance vectors: inputs by kind on stdin, results by kind on stdout. Compiled with Receiver.cs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

public static class Conformance
{
    static string Quote(string text)
    {
        return "\"" + string.Concat(text.Select(one => one < ' ' || one == '"' || one == '\\' ? "\\u" + ((int)one).ToString("x4") : one.ToString())) + "\"";
    }

    static string Signature(JsonObject given)
    {
        Func<string, string> header = name => given.Text(name.Substring("webhook-".Length));
        var now = DateTimeOffset.FromUnixTimeSeconds(given.Number("now"));
        try
        {
            Receiver.Verify(given.Text("secrets").Split(' '), header, Bytes(given, "body"), now);
            return Quote("ok");
        }
        catch (Refused reason)
        {
            return Quote(reason.Message);
        }
    }

    static string EventOf(JsonObject given)
    {
        try
        {
            var one = Receiver.ReadEvent(Bytes(given, "body"));
            return "{\"id\":" + Quote(one.Id) + ",\"type\":" + Quote(one.Type) + ",\"timestamp\":" + Quote(one.Timestamp)
                + ",\"locationId\":" + Quote(one.LocationId) + ",\"sequence\":" + one.Sequence
                + ",\"isTest\":" + (Receiver.IsTest(one) ? "true" : "false") + "}";
        }
        catch (Refused reason)
        {
            return Quote(reason.Message);
        }
    }

    static string Request(JsonObject given)
    {
        var url = Receiver.FeedUrl(given.Text("url"), given.Number("after"), given.Text("epoch"), (int)given.Number("wait"));
        return "{\"url\":" + Quote(url) + ",\"headers\":{\"x-api-key\":" + Quote(given.Text("key")) + "}}";
    }

    static string PageOf(JsonObject given)
    {
        var page = Receiver.ReadPage(Bytes(given, "body"));
        return "{\"ids\":[" + string.Join(",", page.Events.Select(one => Quote(one.Text("id")))) + "],\"after\":" + page.After
            + ",\"epoch\":" + Quote(page.Epoch) + ",\"isAtHead\":" + (page.IsAtHead ? "true" : "false") + "}";
    }

    static string Error(JsonObject given)
    {
        var parts = Receiver.ReadProblem((int)given.Number("status"), Bytes(given, "body"));
        return "{\"code\":" + Quote(parts[0]) + ",\"detail\":" + Quote(parts[1]) + ",\"requestId\":" + Quote(parts[2]) + "}";
    }

    static string Retry(JsonObject given)
    {
        var random = (double)(decimal)given["random"];
        var wait = Receiver.WaitBeforeRetry((int)given.Number("status"), given.Text("retryAfter"), (int)given.Number("attempt"), random);
        return wait == null ? "null" : wait.Value.ToString(CultureInfo.InvariantCulture);
    }

    static byte[] Bytes(JsonObject given, string name)
    {
        return Encoding.UTF8.GetBytes(given.Text(name));
    }

    public static int Main(string[] arguments)
    {
        if (arguments.FirstOrDefault() != "conformance") return Receiver.Main(arguments);
        var kinds = new Dictionary<string, Func<JsonObject, string>>
        {
            { "signature", Signature }, { "event", EventOf }, { "request", Request }, { "page", PageOf }, { "error", Error }, { "retry", Retry },
        };
        var input = new MemoryStream();
        Console.OpenStandardInput().CopyTo(input);
        var results = Json.Read(input.ToArray())
            .Select(kind => "\"" + kind.Key + "\":[" + string.Join(",", ((List<object>)kind.Value).Cast<JsonObject>().Select(kinds[kind.Key])) + "]");
        var text = Encoding.UTF8.GetBytes("{" + string.Join(",", results) + "}");
        Console.OpenStandardOutput().Write(text, 0, text.Length);
        return 0;
    }
}
