import client.ApiClient;
import client.model.BatchFailure;
import client.model.BatchReport;
import client.model.BatchResult;
import client.model.BatchSuccess;
import client.model.CallInquiry;
import client.model.ChatbotInquiry;
import client.model.EmailInquiry;
import client.model.Inquiry;
import client.model.SmsInquiry;
import client.model.StoredInquiry;
import client.model.WebformInquiry;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes each call with the generated client, and writes what its models know of the answers. */
public class Calls {
  private static final ObjectMapper mapper = new ObjectMapper();
  private static final List<String> bodies = List.of("body", "requestBody");

  public static void main(String[] files) throws Exception {
    JsonNode input = mapper.readTree(new File(files[0]));
    List<String> keyedPaths = new ArrayList<>();
    for (JsonNode path : input.get("keyedPaths")) keyedPaths.add(path.asText());
    ApiClient client = Library.client(input.get("token").asText(), input.get("key").asText(), keyedPaths);
    ArrayNode answers = mapper.createArrayNode();
    for (JsonNode call : input.get("calls")) {
      Object answer = invoke(client, call);
      answers
          .addObject()
          .put("operationId", call.get("operationId").asText())
          .putPOJO("variants", variants(answer))
          .set("answer", mapper.readTree(Library.write(answer)));
    }
    mapper.writeValue(new File(files[1]), answers);
  }

  /** What the answer turned out to be, where it can be one of several. */
  private static List<String> variants(Object answer) {
    if (answer instanceof Inquiry inquiry) return List.of(variant(inquiry));
    if (answer instanceof StoredInquiry stored) return List.of(variant(stored.getInquiry()));
    if (answer instanceof BatchReport report)
      return report.getResults().stream().map(Calls::variant).toList();
    return List.of();
  }

  private static String variant(Inquiry inquiry) {
    Object actual = inquiry.getActualInstance();
    if (actual instanceof CallInquiry call) return "CALL " + call.getData().getRecordingUrl();
    if (actual instanceof EmailInquiry email) return "EMAIL " + email.getData().getSubject();
    if (actual instanceof ChatbotInquiry chat) return "CHATBOT " + chat.getData().getMessages().get(0).getText();
    if (actual instanceof SmsInquiry sms) return "SMS " + sms.getData().getMessages().get(0).getText();
    if (actual instanceof WebformInquiry form) return "WEBFORM " + form.getData().getFormName();
    throw new IllegalStateException("No known inquiry: " + actual);
  }

  private static String variant(BatchResult result) {
    Object actual = result.getActualInstance();
    if (actual instanceof BatchSuccess success) return "ok " + success.getProduct().getName();
    if (actual instanceof BatchFailure failure) return "error " + failure.getCode();
    throw new IllegalStateException("No known result: " + actual);
  }

  private static Object invoke(ApiClient client, JsonNode call) throws Exception {
    String name = call.get("operationId").asText();
    Object api =
        Class.forName("client.api." + call.get("api").asText())
            .getConstructor(ApiClient.class)
            .newInstance(client);
    Method method = methodOf(api.getClass(), name);
    Parameter[] parameters = method.getParameters();
    Object[] values = new Object[parameters.length];
    for (int at = 0; at < parameters.length; at++) {
      Parameter parameter = parameters[at];
      JsonNode argument = call.get("arguments").get(parameter.getName());
      Class<?> type = parameter.getType();
      // An enumeration is a parameter of the query.
      boolean isModel = type.getPackageName().equals("client.model") && !type.isEnum();
      // A body of any shape has no model.
      boolean isBody = argument == null && (isModel || bodies.contains(parameter.getName()));
      JsonNode value = isBody ? call.get("body") : argument;
      if (value != null) values[at] = Library.read(value.toString(), type);
    }
    try {
      return method.invoke(api, values);
    } catch (InvocationTargetException failed) {
      throw new IllegalStateException(name + " failed", failed.getCause());
    }
  }

  /** Of the methods of that name, the one that takes the arguments alone. */
  private static Method methodOf(Class<?> api, String name) {
    return Arrays.stream(api.getMethods())
        .filter(method -> method.getName().equals(name))
        .min((one, other) -> one.getParameterCount() - other.getParameterCount())
        .orElseThrow(() -> new IllegalStateException("There is no method " + name));
  }
}
